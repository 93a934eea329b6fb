import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { describeMongo } from '../../support/mongo/database.js'
import type { ReplicaSetFront } from '../../support/mongo/replica-set-front.js'
import {
  type Between,
  behindFront,
  behindProxy,
  type Load,
  type PressureRun,
  runUnderPressure,
  type Scenario,
} from './pressure-run.js'

const promisedMs = 2500

const modest: Load = { updates: 200, pages: 100 }
// so many that two shared cores can offer and refuse them
const manyUpdates: Load = { updates: 2000, pages: 0 }
const manyPages: Load = { updates: 0, pages: 2000 }

const outage = <B extends Between>(between: Scenario<B>['between'], during: Load): Scenario<B> => ({
  between,
  usual: { updates: Math.min(200, during.updates), pages: Math.min(100, during.pages) },
  during,
  fault: async held => {
    await held.pause()
    await pause(4000)
    await held.resume()
  },
})

const onFront = (
  fault: (front: ReplicaSetFront) => Promise<unknown>,
  before: (front: ReplicaSetFront) => void = () => {},
): Scenario<ReplicaSetFront> => ({ between: behindFront, usual: modest, during: modest, before, fault })

const scenarios: Readonly<Record<string, (engine: string) => Promise<PressureRun>>> = {
  'outage, 2,000 updates/s': engine => runUnderPressure(engine, outage(behindProxy, manyUpdates)),
  'outage, 2,000 pages/s': engine => runUnderPressure(engine, outage(behindProxy, manyPages)),
  'set: outage, 2,000 updates/s': engine => runUnderPressure(engine, outage(behindFront, manyUpdates)),
  'set: outage, 2,000 pages/s': engine => runUnderPressure(engine, outage(behindFront, manyPages)),
  'set: 300 ms away': engine =>
    runUnderPressure(
      engine,
      // two trips for TCP and TLS
      onFront(
        () => pause(3000),
        front => front.moveAway(300, 2),
      ),
    ),
  'set: election of 0.3 s': engine =>
    runUnderPressure(
      engine,
      onFront(front => front.elect(300)),
    ),
  'set: election of 0.9 s': engine =>
    runUnderPressure(
      engine,
      onFront(front => front.elect(900)),
    ),
  'set: election of 2.5 s': engine =>
    runUnderPressure(
      engine,
      onFront(front => front.elect(2500)),
    ),
  'set: pause of 1.3 s': engine =>
    runUnderPressure(
      engine,
      onFront(async front => {
        front.pause()
        await pause(1300)
        front.resume()
      }),
    ),
  'set: lost replies': engine =>
    runUnderPressure(
      engine,
      onFront(front => losing(front, 'silently')),
    ),
  'set: connections cut for replies': engine =>
    runUnderPressure(
      engine,
      onFront(front => losing(front, 'by closing')),
    ),
  'set: a slow secondary': engine =>
    runUnderPressure(
      engine,
      onFront(async front => {
        front.slowDown(1, 3000)
        await pause(3000)
      }),
    ),
}

const losing = async (front: ReplicaSetFront, how: 'silently' | 'by closing'): Promise<void> => {
  front.loseReplies(how)
  await pause(3000)
  front.loseReplies(undefined)
}

const slowestOf = ({ asked }: PressureRun): number => Math.max(...asked.map(({ ms }) => ms))

const printTable = (runs: ReadonlyMap<string, PressureRun>): void => {
  const print = ([first, ...cells]: readonly (string | number)[]) =>
    console.log(String(first).padEnd(36) + cells.map(cell => String(cell).padStart(10)).join(''))
  print(['scenario', 'requests', 'slowest', '503 %', 'unknown', 'lost', 'doubled', 'loop ms', 'MB more', 'recovery'])
  for (const [title, run] of runs) {
    const { asked, lost, doubled, loopDelayMs, growthMb, recoveryMs } = run
    const unknown = asked.filter(({ outcome }) => outcome === 'unknown').length
    const unavailable = asked.filter(({ outcome }) => outcome === 'unapplied').length + unknown
    print([
      title,
      asked.length,
      Math.round(slowestOf(run)),
      ((unavailable / asked.length) * 100).toFixed(1),
      unknown,
      lost,
      doubled,
      Math.round(loopDelayMs),
      Math.round(growthMb),
      Math.round(recoveryMs),
    ])
  }
}

describeMongo('Under pressure, the service', engine => {
  const runs = new Map<string, PressureRun>()

  after(() => printTable(runs))

  for (const [title, run] of Object.entries(scenarios))
    it(`answers all in time, loses nothing and does nothing twice: ${title}`, async function () {
      this.timeout(60_000)
      const result = await run(engine)
      runs.set(title, result)
      expect(slowestOf(result)).to.be.below(promisedMs)
      expect(result).to.include({ lost: 0, doubled: 0 })
      expect(result.asked.filter(({ outcome }) => outcome === 'cut')).to.deep.equal([])
    })
})
