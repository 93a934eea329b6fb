import { setTimeout as pause } from 'node:timers/promises'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { audit, counter } from '../../support/faults/ledger.js'
import { writes } from '../../support/faults/load.js'
import { operations, type PortCall, type PortLoad, portLoad, portSteps } from '../../support/faults/port-load.js'
import { anId, draft, must } from '../../support/snippets.js'
import { closeAll } from '../../support/storage/open-storage.js'
import type { OpenedStorage, OutageHarness } from './outage-contract.js'
import { createMany, everything } from './stream.js'

const users = [{ id: anId(1n), username: 'ann' }]

/** Longer than the deadline of an operation, so that each settles during the fault. */
const longFaultMs = maxAnswerMs + 500
/** The pause between two rounds of operations. */
export const roundMs = 200
const size = 800
const startMs = 10_000

export type Outage = Readonly<{
  fault: string
  /** Whether a storage may hide the fault from each kind of operation, by retries or on new connections. */
  mayHide: boolean
  /** Whether the fault applies writes and loses their replies. */
  losesReplies: boolean
  /** Whether the storage is opened during the fault, on empty data. */
  opensBroken: boolean
}>

export type OutageRun = Awaited<ReturnType<typeof runThrough>>

/** Tests the demands on one run. */
export const outageExpectations = (
  { mayHide, losesReplies, opensBroken }: Outage,
  finished: () => Promise<OutageRun>,
): void => {
  let run: OutageRun
  before(async () => {
    run = await finished()
  })
  const isWrite = ({ operation }: PortCall): boolean => writes.some(write => write === operation)

  it('settles every operation before the deadline, with a Left for a failure', () => {
    expect(run.unexpected).to.deep.equal([])
    expect(run.calls.filter(({ ms }) => ms > maxAnswerMs)).to.deep.equal([])
  })

  it('fails writes and the health check, and reports unknown outcomes for writes only', () => {
    const failed = run.calls
      .filter(({ startedAt, ms }) => startedAt < run.end && startedAt + ms > run.begin)
      .filter(({ outcome }) => outcome === 'unapplied' || outcome === 'unknown')
    const unknown = failed.filter(({ outcome }) => outcome === 'unknown')
    if (!mayHide) {
      expect(failed.some(isWrite), 'a write failed').to.equal(true)
      expect(failed.map(({ operation }) => operation)).to.include('check')
      if (opensBroken) expect(unknown).to.deep.equal([])
    }
    expect(unknown.filter(call => !isWrite(call))).to.deep.equal([])
    if (losesReplies) expect(unknown, 'no write lost its reply: begin the fault during a commit').to.not.deep.equal([])
  })

  it('loses no acknowledged write, repeats no id, and applies no write that it reports as unapplied', () => {
    // one array each, because chai abbreviates nested values
    for (const violations of Object.values(run.audit)) expect(violations).to.deep.equal([])
  })

  it('shows acknowledged writes, and ends an incomplete list with a Left', () => {
    expect(run.wrongReads).to.deep.equal([])
  })

  it('works again within seconds after the fault', () => {
    expect(run.failing, lastFailures(run)).to.deep.equal([])
  })
}

const lastFailures = ({ calls }: PortLoad): string =>
  calls
    .filter(({ reason }) => reason !== undefined)
    .slice(-operations.length)
    .map(({ operation, reason }) => `${operation}: ${reason}`)
    .join('\n')

/** Calls every operation before, during and after a fault. Opens a remote storage twice, like two processes. */
export const runThrough = async (harness: OutageHarness, { fault, opensBroken }: Outage) => {
  const { create, isRemote, maxConnections, faultMs = longFaultMs } = harness
  // after a fault at its start, a storage prepares itself again at intervals
  const maxRecoveryMs = opensBroken ? 15_000 : 5000
  const data = await create(fault)
  const storages: OpenedStorage[] = []
  const open = async (): Promise<OpenedStorage> => {
    const storage = await data.open(users)
    storages.push(storage)
    return storage
  }
  const openPrepared = async (): Promise<OpenedStorage> => {
    const storage = await open()
    await storage.whenPrepared()
    return storage
  }
  try {
    const first = opensBroken ? undefined : await openPrepared()
    if (isRemote && !opensBroken) await openPrepared()
    // creations need no index
    const load = portLoad(first === undefined ? [] : await createMany(first, size))
    for (const { whenIndexed } of storages) await whenIndexed?.()
    // all storages write to one row, so that the locks of a lost connection are noticed
    const { id: counterId } = first === undefined ? missing : must(await first.snippets.create(draft(counter))())
    const stepsOf = (storage: Storage) => portSteps(storage, load, counterId)
    let callers = storages.map(stepsOf)
    /** Calls every operation once for each caller. Returns the calls that failed. */
    const round = async (): Promise<readonly string[]> => {
      const calls = callers.flatMap((steps, caller) =>
        operations.map(async operation => {
          const outcome = await steps[operation]()
          // the callers update one row
          const succeeded =
            outcome === 'done' || outcome === undefined || (operation === 'update' && outcome === 'rejected')
          return succeeded ? [] : [`${operation} by caller ${caller}`]
        }),
      )
      return (await Promise.all(calls)).flat()
    }
    /** Creations with a key are repeated until they succeed. */
    const succeeds = async (): Promise<boolean> => (await round()).length === 0 && load.ledger.repeating.size === 0
    await eventually(succeeds, startMs, () => lastFailures(load))

    const begin = performance.now()
    let isBreaking = !opensBroken
    const busy = async (): Promise<void> => {
      do await round()
      while (isBreaking)
    }
    const inFlight = busy()
    await Promise.resolve(data.break(!opensBroken)).finally(() => {
      isBreaking = false
    })
    if (opensBroken) callers = [stepsOf(await open())]
    // creations with and without a key, and more reads than the pool has connections, begin in the fault
    const hit = callers.flatMap(({ create, createOnce, page }) => [
      ...[create(), createOnce(), createOnce()],
      ...Array.from({ length: maxConnections + 10 }, page),
    ])
    for (const end = begin + faultMs; performance.now() < end; await pause(roundMs)) await round()
    await data.restore()
    const end = performance.now()
    /** The calls that have not succeeded since the fault. */
    let failing = await round()
    for (; failing.length > 0 && performance.now() < end + maxRecoveryMs; await pause(roundMs)) {
      const failed = await round()
      failing = failing.filter(call => failed.includes(call))
    }
    await Promise.all([inFlight, ...hit])
    if (failing.length === 0) await eventually(succeeds, maxRecoveryMs, () => lastFailures(load))

    await closeAll(storages.splice(0))
    const reopened = await openPrepared()
    return { ...load, begin, end, failing, audit: audit(load.ledger, await everything(reopened.snippets)) }
  } finally {
    await closeAll(storages).finally(data.remove)
  }
}

/** A snippet that does not exist, with an id that no creation reaches. */
const missing = firstVersion(anId(2n ** 62n), draft())
