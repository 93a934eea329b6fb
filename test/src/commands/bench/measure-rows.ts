import { setTimeout as pause } from 'node:timers/promises'
import { residentMegabytes } from '../measuring/memory.js'
import { startLoad } from './load/load-client.js'
import type { Measured } from './load/load-process.js'
import type { Options } from './options.js'
import type { Row } from './rows.js'
import { answerTo, differenceIn } from './servers/check-answers.js'
import type { Competitor } from './servers/competitors.js'
import { fill } from './servers/fill.js'
import { type RunningServer, startServer } from './servers/start-server.js'

/** One measurement of one server. The first round is a warm-up, and not among them. */
export type Sample = Readonly<{ row: string; server: string; round: number }> & Measured

export type Samples = Readonly<{ samples: readonly Sample[]; megabytes: ReadonlyMap<string, number> }>

type Started = RunningServer & Readonly<{ name: string; snippets: number }>

/** Garbage of the last measurement is not counted with the next. */
const restMs = 30

/** So many times as long as the others is the first round, for the compiler. */
const warmUp = 2

export const measureRows = async (
  servers: readonly Competitor[],
  rows: readonly Row[],
  options: Options,
  say: (what: string) => void,
): Promise<Samples> => {
  const snippetsOf = (row: Row): number => Math.min(row.snippets ?? options.snippets, options.snippets)
  const started: Started[] = []
  for (const snippets of new Set(rows.map(snippetsOf)))
    for (const server of servers) {
      say(`${server.title}: creating ${snippets} snippets`)
      const running = await startServer(server)
      started.push({ ...running, name: server.name, snippets })
      await fill(running.port, snippets)
    }
  const having = (row: Row): readonly Started[] => started.filter(({ snippets }) => snippets === snippetsOf(row))
  for (const row of rows) await check(row, having(row))

  const load = startLoad()
  const samples: Sample[] = []
  for (const row of rows)
    for (let round = 0; round <= options.rounds; round++)
      for (const { name, port, pid, snippets } of rotated(having(row), round)) {
        say(`${row.title}, round ${round} of ${options.rounds}: ${name}`)
        await pause(restMs)
        const requests = (options.requests ?? row.requests) * (round === 0 ? warmUp : 1)
        const measured = await load.measure({ row: row.name, round, port, pid, snippets, requests })
        if (round > 0) samples.push({ row: row.name, server: name, round, ...measured })
      }
  const megabytes = memoryOf(started)
  load.stop()
  await Promise.all(started.map(({ stop }) => stop()))
  return { samples, megabytes }
}

const check = async (row: Row, servers: readonly Started[]): Promise<void> => {
  const answers = []
  for (const { name, port, snippets } of servers) answers.push(await answerTo(name, port, row, snippets))
  const difference = differenceIn(row, answers)
  if (difference !== undefined) throw new Error(difference)
}

/** Another server begins in each round, so that none always follows the same one. */
export const rotated = <A>(all: readonly A[], by: number): readonly A[] => {
  const start = all.length === 0 ? 0 : by % all.length
  return [...all.slice(start), ...all.slice(0, start)]
}

/** Of the processes that hold the most snippets. */
const memoryOf = (started: readonly Started[]): ReadonlyMap<string, number> =>
  new Map(
    started.toSorted((a, b) => a.snippets - b.snippets).map(({ name, pid }) => [name, residentMegabytes(pid) ?? 0]),
  )
