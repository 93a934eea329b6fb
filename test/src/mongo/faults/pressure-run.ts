import { setTimeout as pause } from 'node:timers/promises'
import { generated } from '../../contracts/http/workspace.js'
import { freshDatabase, openPrepared } from '../../support/mongo/database.js'
import { type ReplicaSetFront, replicaSetFront } from '../../support/mongo/replica-set-front.js'
import { proxyTo } from '../../support/mongo/tcp-proxy.js'
import { type ServiceProcess, startProcess } from '../../support/service/child-process.js'
import { type Ask, type Asked, type OpenLoop, openLoop } from './open-loop.js'

export type PressureRun = Readonly<{
  asked: readonly Asked[]
  /** When the fault began and ended. */
  start: number
  end: number
  /** From the end of the fault until an update and a page have succeeded that were begun after it. */
  recoveryMs: number
  /** Acknowledged updates that are not stored, and updates that are stored too often. */
  lost: number
  doubled: number
  /** How late the client was, at worst. It shares the machine, and the process with what stands between. */
  clientLateMs: number
  /** How late the event loop was, at worst; and without the time in which its thread waited for a core. */
  loopLateMs: number
  busyLoopMs: number
  growthMb: number
}>

/** What stands between the service and its database. */
export type Between = Readonly<{ url: string; pause: () => unknown; resume: () => unknown; close: () => unknown }>

export const behindProxy = async (databaseUrl: string): Promise<Between> => {
  const { url, start, restore, close } = await proxyTo(databaseUrl)
  return { url, pause: () => start('black hole'), resume: restore, close }
}

export const behindFront = (databaseUrl: string): Promise<ReplicaSetFront> => replicaSetFront(databaseUrl)

export type Load = Readonly<{ updates: number; pages: number }>

export type Scenario<B extends Between> = Readonly<{
  between: (databaseUrl: string) => Promise<B>
  /** Requests in each second, before and after the fault, and during it. */
  usual: Load
  during: Load
  /** Before the service starts. */
  before?: (between: B) => void
  fault: (between: B) => Promise<unknown>
}>

const rows = 1000
/** A little less than the connections that the service takes. */
const maxAtATime = 3800
const calmMs = 1000
const environment = {
  STORAGE: 'mongo',
  ADMIN_PORT: '0',
  ACCESS_LOG: 'off',
  NODE_OPTIONS: `--import=${new URL('../../support/faults/late-turns.js', import.meta.url)}`,
}
const patienceMs = 15_000

type Row = Readonly<{ _id: bigint; version: number }>

export const runUnderPressure = async <B extends Between>(
  engine: string,
  { between, usual, during, before = () => {}, fault }: Scenario<B>,
): Promise<PressureRun> => {
  const { url, db, drop } = freshDatabase(engine)
  const storage = await openPrepared(url)
  await storage.close()
  await db.collection<Row>('snippets').insertMany(seeds)
  const inBetween = await between(url)
  before(inBetween)
  const service = await startProcess({ ...environment, MONGODB_URL: inBetween.url })
  const load = loadOn(service)
  try {
    await load.open(during)
    load.setRates(usual)
    await load.untilBothSucceed(0)
    const watch = watching(service)
    await pause(calmMs)
    load.setRates(during)
    const start = performance.now()
    await fault(inBetween)
    const end = performance.now()
    await load.untilBothSucceed(end)
    const recoveryMs = performance.now() - end
    load.setRates(usual)
    await pause(calmMs)
    // before thousands of connections are closed at the same time, which is not the fault's doing
    const worst = await watch.stop()
    await load.stop()
    const stored = await db.collection<Row>('snippets').find().toArray()
    const asked = load.asked()
    return { asked, start, end, recoveryMs, clientLateMs: load.lateMs(), ...audit(asked, stored), ...worst }
  } finally {
    service.kill('SIGKILL')
    await service.ended
    await inBetween.close()
    await drop()
    await load.stop()
  }
}

const seeds = Array.from({ length: rows }, (_, i) => ({
  _id: BigInt(i + 1),
  title: `row ${i + 1}`,
  code: 'x'.repeat(100),
  language: `language ${i % 20}`,
  created_at: new Date(i),
  version: 1,
}))

const loadOn = ({ url }: ServiceProcess) => {
  const { host } = new URL(url)
  let serial = 0
  const update = (): Ask => {
    const id = (serial++ % rows) + 1
    const body = JSON.stringify({ code: `code ${serial}` })
    const head = `PATCH ${generated}${id}/ HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`
    return { kind: 'update', id, bytes: `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}` }
  }
  const page = (): Ask => {
    const target = `${generated}?language=language%20${serial++ % 20}&ordering=-created_at&page=2`
    return { kind: 'page', id: 0, bytes: `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n` }
  }
  const loops: readonly OpenLoop[] = [openLoop(url, update), openLoop(url, page)]
  const asked = (): readonly Asked[] => loops.flatMap(loop => loop.asked)
  return {
    asked,
    lateMs: () => Math.max(...loops.map(loop => loop.lateMs())),
    setRates: ({ updates, pages }: Load): void => {
      loops[0]?.setRate(updates)
      loops[1]?.setRate(pages)
    },
    open: async ({ updates, pages }: Load): Promise<void> => {
      for (const [i, rate] of [updates, pages].entries()) await loops[i]?.open(Math.min(2 * rate, maxAtATime))
    },
    /** Of the kinds that are asked for at all, one each has succeeded that was begun after that time. */
    untilBothSucceed: async (since: number): Promise<void> => {
      const from = performance.now()
      const hasSucceeded = ({ asked }: OpenLoop) => asked.some(one => one.outcome === 'done' && one.startedAt > since)
      while (!loops.every(loop => loop.isIdle() || hasSucceeded(loop))) {
        if (performance.now() - from > patienceMs) throw new Error(`no success within ${patienceMs} ms`)
        await pause(5)
      }
    },
    stop: () => Promise.all(loops.map(loop => loop.stop())),
  }
}

/** The version of a row tells how often it was updated. */
const audit = (asked: readonly Asked[], stored: readonly Row[]): Pick<PressureRun, 'lost' | 'doubled'> => {
  const acknowledged = new Map<number, number>()
  const inDoubt = new Map<number, number>()
  for (const { kind, id, outcome } of asked) {
    const counts = outcome === 'done' ? acknowledged : outcome === 'unapplied' ? undefined : inDoubt
    if (kind === 'update') counts?.set(id, (counts.get(id) ?? 0) + 1)
  }
  let lost = 0
  let doubled = 0
  for (const { _id, version } of stored) {
    const applied = version - 1
    const sure = acknowledged.get(Number(_id)) ?? 0
    lost += Math.max(0, sure - applied)
    doubled += Math.max(0, applied - sure - (inDoubt.get(Number(_id)) ?? 0))
  }
  return { lost, doubled }
}

/** Reads the memory again and again, and how late the event loop was from the log. */
const watching = ({ adminUrl, logged }: ServiceProcess) => {
  const first = residentBytes(adminUrl)
  const from = Date.now()
  const sizes: number[] = []
  let isOver = false
  const reading = (async () => {
    await first
    while (!isOver) {
      await pause(500)
      sizes.push(await residentBytes(adminUrl))
    }
  })()
  return {
    stop: async (): Promise<Pick<PressureRun, 'loopLateMs' | 'busyLoopMs' | 'growthMb'>> => {
      isOver = true
      await reading
      const grown = Math.max(...sizes) - (await first)
      const late = logged().filter(({ msg, time }) => msg === 'late turn' && Number(time) > from)
      const loopLateMs = Math.max(0, ...late.map(({ ms }) => Number(ms)))
      const busyLoopMs = Math.max(0, ...late.map(({ ms, waitedMs }) => Number(ms) - Number(waitedMs)))
      return { loopLateMs, busyLoopMs, growthMb: grown / 1024 / 1024 }
    },
  }
}

const residentBytes = async (adminUrl: string): Promise<number> => {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  return Number(/^process_resident_memory_bytes (.*)$/m.exec(text)?.[1])
}
