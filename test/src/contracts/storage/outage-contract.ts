import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { expect } from 'chai'
import { errorText } from '../../support/error-text.js'
import { type Outage, type OutageRun, outageExpectations, runThrough } from './outage-run.js'
import { reopeningContract } from './reopening.js'
import { sharingContract } from './sharing.js'

type FaultNames = readonly [string, ...string[]]

export type OutageFaults = Readonly<{
  /** Each operation fails at once with an error. In one of the faults of a database, pings still work. */
  gone: FaultNames
  /** The storage does not respond. */
  silent: FaultNames
  /** The storage applies writes, and their replies are lost. */
  answersLost: FaultNames
  /**
   * Repeatedly, open connections fall silent without closing, and stay so after the fault. New connections work for a
   * while.
   */
  deadPeers: FaultNames | 'no connections'
  /** Again and again, open connections are closed between a request and its reply. New connections work for a while. */
  lostConnections: FaultNames | 'no connections'
  /** The process of the database is killed as with SIGKILL, and starts again at the end of the fault. */
  crash?: FaultNames
}>

/** A storage that may build the indexes of its pages after it accepts writes. */
export type OpenedStorage = Storage & Readonly<{ whenIndexed?: () => Promise<void> }>

/** A way to break a storage for a while. */
export type OutageHarness = Readonly<{
  faults: OutageFaults
  /** Creates empty data behind a connection or disk that can fail. */
  create: (fault: string) => Promise<BreakableData>
  /** How many connections a storage opens to the database at most. */
  maxConnections: number
  /** Whether several processes may use the data at the same time, and start while the data is unavailable. */
  isRemote: boolean
  /** The duration of a fault. By default it is longer than the deadline of an operation. */
  faultMs?: number
  /** How many faults run at once, 2 by default: 1 if a fault affects the whole process. */
  parallelFaults?: number
}>

export type BreakableData = Readonly<{
  /** Opens a storage on the data, as one process of the service does. The contract waits until it is prepared. */
  open: (users: readonly User[]) => Promise<OpenedStorage>
  /** Begins the fault. `isBusy` tells whether creations and lists are in progress, which a fault can hit. */
  break: (isBusy: boolean) => unknown
  restore: () => unknown
  /** Returns the number of open connections to the database, if the harness can count them. */
  connections?: () => number
  /** Closes what `create` opened, and removes the data. */
  remove: () => Promise<void>
}>

/**
 * Tests the demands of `domain/src/ports/stores.ts` on a storage that fails and recovers, is opened again, or is shared
 * by processes.
 */
export const outageContract = (name: string, harness: OutageHarness): void => {
  const { faults, isRemote, parallelFaults = 2 } = harness
  const outages = outagesOf(harness)

  describe(`Outage contract of ${name}:`, () => {
    const runs = new Map<Outage, Promise<OutageRun>>()
    const uncaught = new Set<string>()
    // mocha would fail the current test with an uncaught error of any storage
    const note = (error: unknown): void => void uncaught.add(errorText(error))
    before(async function () {
      this.timeout(60_000 * outages.length)
      const remaining = outages.values()
      const runTheRest = async (): Promise<void> => {
        for (const outage of remaining) {
          const run = runThrough(harness, outage)
          runs.set(outage, run)
          await run.catch(() => {})
        }
      }
      const listeners = process.listeners('uncaughtException')
      process.removeAllListeners('uncaughtException').on('uncaughtException', note)
      // few at a time, so that each has enough of the processor to answer in time
      await Promise.all(Array.from({ length: parallelFaults }, runTheRest))
      process.off('uncaughtException', note)
      for (const listener of listeners) process.on('uncaughtException', listener)
    })

    it('causes no uncaught error', () => {
      expect([...uncaught], 'does each connection have a listener for its errors?').to.deep.equal([])
    })

    if (isRemote && faults.crash === undefined) it('survives a crash (not tested: the harness has no fault `crash`)')

    for (const outage of outages)
      describe(`a storage ${outage.opensBroken ? 'that opens ' : ''}during "${outage.fault}"`, () =>
        outageExpectations(outage, async () => {
          const run = runs.get(outage)
          if (run === undefined) throw new Error('the fault did not run')
          return run
        }))
  })

  reopeningContract(name, harness)
  if (isRemote) sharingContract(name, harness)
}

const namesOf = (names: FaultNames | 'no connections' | undefined): readonly string[] =>
  names === undefined || names === 'no connections' ? [] : names

const outagesOf = ({ faults, isRemote }: OutageHarness): readonly Outage[] => {
  const { gone, silent, answersLost, deadPeers, lostConnections, crash } = faults
  const outage = (fault: string, opensBroken: boolean): Outage => ({
    ...{ fault, opensBroken },
    // new connections work for a while
    mayHide: [lostConnections, deadPeers].some(names => namesOf(names).includes(fault)),
    losesReplies: answersLost.includes(fault),
  })
  // a fault may be of several kinds
  const all = new Set([gone, silent, answersLost, deadPeers, lostConnections, crash].flatMap(namesOf))
  const opening = isRemote ? [gone[0], silent[0], ...namesOf(deadPeers).slice(0, 1)] : []
  return [...[...all].map(fault => outage(fault, false)), ...opening.map(fault => outage(fault, true))]
}
