import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freshDatabase } from '@snippets/test/support/mongo/database.js'
import { importing } from '@snippets/test/support/service/child-process.js'
import type { MeasuredProcess } from '../measuring/measured-process.js'
import { withMongo } from '../with-mongo.js'
import { enduranceLoad } from './endurance-load.js'
import { atLeast, atMost, type Finding, onDirectory, onService, type Scenario, smallHeap } from './scenario.js'

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

/** The sizes of heaps are comparable after a garbage collection. */
const env = { NODE_OPTIONS: `${smallHeap.NODE_OPTIONS} --expose-gc ${fastClock}`, ACCESS_LOG: 'off' }

/** Returns the mean of the values, and their growth on the line that fits them best. */
const trend = (values: readonly number[]) => {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
  const mean = sum(values) / values.length
  const offsets = values.map((_, i) => i - (values.length - 1) / 2)
  const slope = sum(values.map((value, i) => value * (offsets[i] ?? 0))) / sum(offsets.map(offset => offset ** 2))
  return { mean, growth: slope * values.length }
}

/** Takes samples in the last two thirds of the time. */
const endure = async (service: MeasuredProcess, minutes: number, diskBytes = async () => 0) => {
  const load = enduranceLoad(service.port)
  let isOver = false
  const running = load.run(() => isOver)
  await pause(minutes * 20_000)
  load.p99()
  const taken: Readonly<Record<keyof typeof allowed, number>>[] = []
  for (let i = 0; i < samples; i++) {
    await pause((minutes * 40_000) / samples)
    const { heapMegabytes: heap, handles, listeners } = await service.usage()
    taken.push({ heap, handles, listeners, disk: (await diskBytes()) / 1e6, p99: load.p99() })
  }
  isOver = true
  await running
  console.error(load.answered(), load.failures.slice(0, 5).map(String))
  const trends = Object.entries(allowed).map(([what, [limit, unit]]) => {
    const { mean, growth } = trend(taken.map(sample => sample[what as keyof typeof allowed]))
    const slope = `${((growth * 90) / minutes).toFixed(1)}${unit} per hour`
    return atMost(`growth of ${what}; mean ${mean.toFixed(1)}${unit}, slope ${slope}`, growth, limit, unit)
  })
  return [
    ...trends,
    atLeast('requests answered', load.answered(), 300 * minutes),
    atMost('requests not answered', (100 * load.failures.length) / load.answered(), 1, ' %'),
  ]
}

const inMemory = onService('memory', endure, env)

const inDirectory = onDirectory(
  'DATA_DIR',
  (service, directory, minutes) => {
    // LevelDB may remove a file meanwhile
    const sizeOf = (file: string): number => statSync(join(directory, file), { throwIfNoEntry: false })?.size ?? 0
    const files = () => readdirSync(directory, { recursive: true, encoding: 'utf8' })
    return endure(service, minutes, async () => files().reduce((sum, file) => sum + sizeOf(file), 0))
  },
  { env },
)

const onMongo = (engine: string): Scenario => {
  const { url, db, drop } = freshDatabase(engine)
  // an engine that is compatible with MongoDB may lack the command
  const diskBytes = () =>
    db.command({ dbStats: 1 }).then(
      ({ totalSize }) => Number(totalSize),
      () => 0,
    )
  const { name, run } = onService('MongoDB', (service, minutes) => endure(service, minutes, diskBytes), {
    ...env,
    STORAGE: 'mongo',
    MONGODB_URL: url,
  })
  return { name, run: minutes => run(minutes).finally(drop) }
}

/** Ordinary load on every storage at once, for a time that shows what grows. */
export const endurance: Scenario = {
  name: 'endurance',
  run: async minutes => {
    const runOf = async ({ name, run }: Scenario): Promise<readonly Finding[]> =>
      (await run(minutes)).map(finding => ({ ...finding, what: `${name}: ${finding.what}` }))
    const onEngine = withMongo(engine => runOf(onMongo(engine)))
    const runs = await Promise.allSettled([runOf(inMemory), runOf(inDirectory), onEngine])
    return runs.flatMap(run => {
      if (run.status === 'fulfilled') return run.value ?? []
      console.error(run.reason)
      return [atMost('storages whose run did not end', 1, 0)]
    })
  },
}
