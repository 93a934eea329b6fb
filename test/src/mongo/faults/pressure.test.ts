import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { describeMongo } from '../../support/mongo/database.js'
import type { ReplicaSetFront } from '../../support/mongo/replica-set-front.js'
import type { Asked, AskedOutcome } from './open-loop.js'
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

// what the engine of these tests carries on two shared cores, with room to catch up after a fault
const modest: Load = { updates: 80, pages: 40 }
/** Requests offered per second during an outage. Fewer come where this machine cannot send as many. */
const { OUTAGE_RATE: rate } = process.env
const manyUpdates: Load = { updates: Number(rate ?? 3000), pages: 0 }
const manyPages: Load = { updates: 0, pages: Number(rate ?? 2000) }

const outage = <B extends Between>(between: Scenario<B>['between'], during: Load): Scenario<B> => ({
  between,
  usual: { updates: Math.min(modest.updates, during.updates), pages: Math.min(modest.pages, during.pages) },
  during,
  fault: async held => {
    await held.pause()
    await pause(4000)
    await held.resume()
  },
})

// fifty connections carry 166 commands a second that far away, and a page takes two
const little: Load = { updates: 60, pages: 20 }

const onFront = (
  fault: (front: ReplicaSetFront) => Promise<unknown>,
  before: (front: ReplicaSetFront) => void = () => {},
): Scenario<ReplicaSetFront> => ({ between: behindFront, usual: modest, during: modest, before, fault })

const scenarios: Readonly<Record<string, (engine: string) => Promise<PressureRun>>> = {
  [`outage, ${manyUpdates.updates} updates/s`]: engine => runUnderPressure(engine, outage(behindProxy, manyUpdates)),
  [`set: outage, ${manyPages.pages} pages/s`]: engine => runUnderPressure(engine, outage(behindFront, manyPages)),
  'set: 300 ms away': engine =>
    runUnderPressure(engine, {
      ...onFront(
        () => pause(2000),
        // two trips for TCP and TLS
        front => front.moveAway(300, 2),
      ),
      ...{ usual: little, during: little },
    }),
  'set: election of 2.5 s': engine =>
    runUnderPressure(
      engine,
      onFront(front => front.elect(2500)),
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
}

const losing = async (front: ReplicaSetFront, how: 'silently' | 'by closing'): Promise<void> => {
  front.loseReplies(how)
  await pause(3000)
  front.loseReplies(undefined)
}

const slowestOf = ({ asked }: PressureRun): number => Math.max(...asked.map(({ ms }) => ms))

const countOf = (asked: readonly Asked[], ...outcomes: readonly AskedOutcome[]): number =>
  asked.filter(({ outcome }) => outcomes.includes(outcome)).length

const inFault = ({ asked, start, end }: PressureRun): readonly Asked[] =>
  asked.filter(({ startedAt }) => startedAt > start && startedAt < end)

const afterFault = ({ asked, end }: PressureRun): readonly Asked[] => asked.filter(({ startedAt }) => startedAt > end)

const refusedShare = (asked: readonly Asked[]): string =>
  `${Math.round((countOf(asked, 'unapplied', 'unknown') / asked.length) * 100)} %`

/**
 * `offered` is what this machine sends in each second of the fault, which may be less than the scenario says. `busy for` is
 * how late the event loop was less what it waited for a core, which client, front and database need too.
 */
const columns: Readonly<Record<string, (run: PressureRun) => number | string>> = {
  offered: run => Math.round((inFault(run).length / (run.end - run.start)) * 1000),
  slowest: run => Math.round(slowestOf(run)),
  'client late': ({ clientLateMs }) => Math.round(clientLateMs),
  '503 in it': run => refusedShare(inFault(run)),
  'after it': run => refusedShare(afterFault(run)),
  unknown: ({ asked }) => countOf(asked, 'unknown'),
  lost: ({ lost }) => lost,
  doubled: ({ doubled }) => doubled,
  'loop late': ({ loopLateMs }) => Math.round(loopLateMs),
  'busy for': ({ busyLoopMs }) => Math.round(busyLoopMs),
  'MB more': ({ growthMb }) => Math.round(growthMb),
  recovery: ({ recoveryMs }) => Math.round(recoveryMs),
}

const printTable = (runs: ReadonlyMap<string, PressureRun>): void => {
  const print = ([first = '', ...cells]: readonly string[]) =>
    console.log(first.padEnd(34) + cells.map(cell => cell.padStart(12)).join(''))
  print(['scenario', ...Object.keys(columns)])
  for (const [title, run] of runs) print([title, ...Object.values(columns).map(value => String(value(run)))])
}

describeMongo('Under pressure, the service', engine => {
  const runs = new Map<string, PressureRun>()

  after(() => printTable(runs))

  for (const [title, run] of Object.entries(scenarios))
    it(`answers all in time, loses nothing and does nothing twice: ${title}`, async function () {
      this.timeout(60_000)
      const result = await run(engine)
      runs.set(title, result)
      // the time at which the client was not there to read is not the service's
      expect(slowestOf(result) - result.clientLateMs).to.be.below(promisedMs)
      expect(result).to.include({ lost: 0, doubled: 0 })
      expect(result.asked.filter(({ outcome }) => outcome === 'cut')).to.deep.equal([])
    })
})
