import type { User } from '@snippets/domain/entities/user.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { expect } from 'chai'
import type * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { errorText } from '../../support/error-text.js'
import { openInTime } from '../../support/storage/open-storage.js'
import { type OutageRun, outageExpectations, runThrough } from './outage-run.js'
import { reopeningContract } from './reopening.js'
import { sharingContract } from './sharing.js'

/** The names of the faults of each kind. Only `crash` may be missing, and `deadPeers` and `lostConnections` may be 'no connections'. */
export type OutageFaults = Readonly<{
  /** Each operation fails at once with an error. */
  gone: readonly string[]
  /** The storage does not respond. */
  silent: readonly string[]
  /** The storage applies writes, and their replies are lost. */
  answersLost: readonly string[]
  /** Repeatedly, open connections fall silent without closing, and stay so after the fault. New connections work for a while. */
  deadPeers: readonly string[] | 'no connections'
  /** Again and again, open connections are closed between a request and its reply. New connections work for a while. */
  lostConnections: readonly string[] | 'no connections'
  /** The process of the database is killed as with SIGKILL, and starts again at the end of the fault. */
  crash?: readonly string[]
}>

/** A way to break a storage for a while. */
export type OutageHarness = Readonly<{
  faults: OutageFaults
  /** Creates empty data behind a connection or disk that can fail. */
  create: (fault: string) => Promise<BreakableData>
  /** Whether several processes may use the data at the same time, and start while the data is unavailable. */
  isRemote: boolean
  /** The duration of a fault. By default it is longer than the deadline of an operation. */
  faultMs?: number
  /** How many faults run at once, 2 by default: 1 if a fault affects the whole process. */
  parallelFaults?: number
}>

/** A storage with its health check. */
export type CheckedStorage = Omit<Storage, 'prepared'>

export type BreakableData = Readonly<{
  /** Opens a storage on the data, as one process of the service does. Does not wait for an unavailable remote storage. */
  open: (users: readonly User[]) => Promise<CheckedStorage>
  /** Begins the fault. */
  break: () => unknown
  /** Ends the fault. */
  restore: () => unknown
  /** Returns the number of open connections to the database, if the harness can count them. */
  connections?: () => number
  /** Closes what `create` opened, and removes the data. */
  remove: () => Promise<void>
}>

/** Tests the demands of `domain/src/ports/ports.ts` on a storage that fails and recovers, is opened again, or is shared by processes. */
export const outageContract = (name: string, given: OutageHarness): void => {
  const harness: OutageHarness = {
    ...given,
    create: async fault => {
      const data = await given.create(fault)
      return { ...data, open: users => openInTime(() => data.open(users)) }
    },
  }
  const faults = faultsOf(harness)

  describe(`Outage contract of ${name}:`, () => {
    const runs = new Map<string, E.Either<unknown, OutageRun>>()
    let uncaught: ReadonlySet<string>
    before(async function () {
      this.timeout(60_000 * faults.length)
      const remaining = [...faults]
      const runTheRest = async (): Promise<void> => {
        for (let fault = remaining.shift(); fault !== undefined; fault = remaining.shift())
          runs.set(
            fault,
            await TE.tryCatch(
              () => runThrough(harness, fault),
              error => error,
            )(),
          )
      }
      const { errors, end } = collectUncaught()
      uncaught = errors
      // few at a time, so that each has enough of the processor to answer in time
      await Promise.all(Array.from({ length: harness.parallelFaults ?? 2 }, runTheRest)).finally(end)
    })

    it('causes no uncaught error', () => {
      expect([...uncaught], 'does each connection have a listener for its errors?').to.deep.equal([])
    })

    if (harness.isRemote && harness.faults.crash === undefined)
      it('survives a crash (not tested: the harness has no fault `crash`)')

    for (const fault of faults)
      describe(`a storage during "${fault}"`, () =>
        outageExpectations(() => runs.get(fault), {
          // new connections work for a while
          mayHide: [harness.faults.lostConnections, harness.faults.deadPeers].some(names => names.includes(fault)),
          losesReplies: harness.faults.answersLost.includes(fault),
        }))
  })

  reopeningContract(name, harness)
  if (harness.isRemote) sharingContract(name, harness)
}

const kinds = ['gone', 'silent', 'answersLost', 'deadPeers', 'lostConnections'] as const

const faultsOf = ({ faults }: OutageHarness): readonly string[] => {
  for (const kind of kinds)
    if (!faults[kind]?.length) throw new Error(`The harness of the outage contract names no fault of the kind ${kind}.`)
  const named = [...kinds.map(kind => faults[kind]), faults.crash ?? []]
  // a fault may be of several kinds
  return [...new Set(named.flatMap(names => (names === 'no connections' ? [] : names)))]
}

/** Collects uncaught errors until `end` is called. Mocha would fail the current test with each of them. */
const collectUncaught = () => {
  const errors = new Set<string>()
  const note = (error: unknown): void => void errors.add(errorText(error))
  const previous = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException').on('uncaughtException', note)
  const end = (): void => {
    process.off('uncaughtException', note)
    for (const listener of previous) process.on('uncaughtException', listener)
  }
  return { errors, end }
}
