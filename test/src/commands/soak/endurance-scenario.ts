import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freshDatabase } from '../../support/mongo/database.js'
import { importing } from '../../support/service/child-process.js'
import { serviceCommand, startMeasured } from '../measuring/measured-process.js'
import { withMongo } from '../mongo-container.js'
import { enduranceLoad } from './endurance-load.js'
import { atLeast, atMost, type Finding, fatalLines, type Scenario, smallHeap } from './scenario.js'

const [dayMs, samples] = [20_000, 40]

/** Makes the days of the service shorter, so that idempotency keys expire. */
const fastClock = importing(
  `const { now } = Date; const start = now(); Date.now = () => start + (now() - start) * ${86_400_000 / dayMs}`,
)

/** The growth that noise explains in a short run, with its unit. */
const allowed = {
  heap: [8, ' MB'],
  handles: [8, ''],
  listeners: [1, ''],
  disk: [64, ' MB'],
  p99: [1000, ' ms'],
} as const

type Medium = Readonly<{
  name: string
  env: Readonly<Record<string, string>>
  diskBytes?: () => Promise<number>
}>

/** Returns the mean of the values, and their growth on the line that fits them best. */
const trend = (values: readonly number[]) => {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const mean = sum(values) / values.length
  const offsets = values.map((_, i) => i - (values.length - 1) / 2)
  const slope = sum(values.map((value, i) => value * (offsets[i] ?? 0))) / sum(offsets.map(offset => offset ** 2))
  return { mean, growth: slope * values.length }
}

/** Takes samples in the last two thirds of the time. */
const endure = async ({ name, env, diskBytes }: Medium, minutes: number): Promise<readonly Finding[]> => {
  const NODE_OPTIONS = `${smallHeap.NODE_OPTIONS} --expose-gc ${fastClock}`
  const service = await startMeasured({ ...serviceCommand, env: { ...env, NODE_OPTIONS, ACCESS_LOG: 'off' } })
  try {
    const load = enduranceLoad(service.port)
    let isOver = false
    const running = load.run(() => isOver)
    await pause(minutes * 20_000)
    load.p99()
    const taken: Record<keyof typeof allowed, number[]> = { heap: [], handles: [], listeners: [], disk: [], p99: [] }
    for (let i = 0; i < samples; i++) {
      await pause((minutes * 40_000) / samples)
      const { heapMegabytes, handles, listeners } = await service.usage()
      taken.heap.push(heapMegabytes)
      taken.handles.push(handles)
      taken.listeners.push(listeners)
      taken.disk.push(((await diskBytes?.()) ?? 0) / 1e6)
      taken.p99.push(load.p99())
    }
    isOver = true
    await running
    await service.end('SIGTERM')
    const faults = [...fatalLines(service.log()), ...[service.exit()].filter(code => code !== 0)]
    console.error(name, load.answered(), load.failures.slice(0, 5).map(String), faults.slice(0, 5))
    const trends = Object.entries(taken).map(([what, values]) => {
      const [limit, unit] = allowed[what as keyof typeof allowed]
      const { mean, growth } = trend(values)
      const slope = `${((growth * 90) / minutes).toFixed(1)}${unit} per hour`
      return atMost(`${name}: growth of ${what}; mean ${mean.toFixed(1)}${unit}, slope ${slope}`, growth, limit, unit)
    })
    return [
      ...trends,
      atLeast(`${name}: requests answered`, load.answered(), 300 * minutes),
      atMost(`${name}: requests not answered`, (100 * load.failures.length) / load.answered(), 1, ' %'),
      atMost(`${name}: fatal lines, warnings and exit codes other than 0`, faults.length, 0),
    ]
  } finally {
    await service.end('SIGKILL')
  }
}

const onDirectory = async (minutes: number): Promise<readonly Finding[]> => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'soak-'))
  const files = () => readdirSync(DATA_DIR, { recursive: true, encoding: 'utf8' })
  // LevelDB may remove a file meanwhile
  const sizeOf = (file: string): number => statSync(join(DATA_DIR, file), { throwIfNoEntry: false })?.size ?? 0
  const diskBytes = async () => files().reduce((sum, file) => sum + sizeOf(file), 0)
  return endure({ name: 'DATA_DIR', env: { DATA_DIR }, diskBytes }, minutes).finally(() =>
    rmSync(DATA_DIR, { recursive: true }),
  )
}

const onMongo = async (engine: string, minutes: number): Promise<readonly Finding[]> => {
  const { url, db, drop } = freshDatabase(engine)
  // an engine that is compatible with MongoDB may lack the command
  const diskBytes = () =>
    db.command({ dbStats: 1 }).then(
      ({ totalSize }) => Number(totalSize),
      () => 0,
    )
  return endure({ name: 'MongoDB', env: { STORAGE: 'mongo', MONGODB_URL: url }, diskBytes }, minutes).finally(drop)
}

/** Ordinary load on every storage at once, for a time that shows what grows. */
export const endurance: Scenario = {
  name: 'endurance',
  run: async ({ minutes }) => {
    const memory = endure({ name: 'memory', env: {} }, minutes)
    const runs = await Promise.allSettled([memory, onDirectory(minutes), withMongo(engine => onMongo(engine, minutes))])
    return runs.flatMap(run => {
      if (run.status === 'fulfilled') return run.value ?? []
      console.error(run.reason)
      return [atMost('storages whose run did not end', 1, 0)]
    })
  },
}
