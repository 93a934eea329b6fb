import { setTimeout as pause } from 'node:timers/promises'
import { maxAnswerMs } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import type * as E from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { type Audit, audit, counter } from '../../support/faults/ledger.js'
import { type Step, writes } from '../../support/faults/load.js'
import { operations, type PortCall, type PortLoad, portLoad, portSteps } from '../../support/faults/port-load.js'
import { anId, draft, must } from '../../support/snippets.js'
import type { CheckedStorage, OutageHarness } from './outage-contract.js'
import { createMany, everything } from './stream.js'

const users = [{ id: anId(1n), username: 'ann' }]

/** Longer than the deadline of an operation, so that each settles during the fault. */
const longFaultMs = maxAnswerMs + 500
/** The pause after each operation of a caller. */
const paceMs = 40
const size = 800
const startMs = 10_000
const burst = 60
const maxRecoveryMs = 5000

export type OutageRun = PortLoad &
  Readonly<{
    begin: number
    end: number
    /** The operations that still fail after the fault, with their reasons. */
    failing: readonly string[]
    audit: Audit
  }>

type FaultKind = Readonly<{
  /** Whether a storage may hide the fault from each kind of operation, by retries or on new connections. */
  mayHide: boolean
  /** Whether the fault applies writes and loses their replies. */
  losesReplies: boolean
}>

/** Tests the demands on one run. */
export const outageExpectations = (
  runOf: () => E.Either<unknown, OutageRun> | undefined,
  { mayHide, losesReplies }: FaultKind,
): void => {
  let run: OutageRun
  before(() => {
    const found = runOf()
    if (found === undefined) throw new Error('the fault did not run')
    run = must(found)
  })
  const isWrite = ({ operation }: PortCall): boolean => writes.some(write => write === operation)
  const failed = ({ outcome }: PortCall): boolean => outcome === 'unapplied' || outcome === 'unknown'

  it('settles every operation before the deadline, with a Left for a failure', () => {
    expect(run.unexpected).to.deep.equal([])
    expect(run.calls.filter(({ ms }) => ms > maxAnswerMs)).to.deep.equal([])
  })

  it('fails writes and the health check, and reports an unknown outcome for writes only, and for lost replies', () => {
    const during = run.calls.filter(({ startedAt, ms }) => startedAt < run.end && startedAt + ms > run.begin)
    if (!mayHide) {
      const failing = during.filter(failed)
      expect(failing.some(isWrite), 'a write failed').to.equal(true)
      expect(failing.map(({ operation }) => operation)).to.include('check')
    }
    expect(run.calls.filter(call => !isWrite(call) && call.outcome === 'unknown')).to.deep.equal([])
    const unknown = during.filter(({ outcome }) => outcome === 'unknown')
    if (losesReplies) expect(unknown, 'no write lost its reply: begin the fault during a commit').to.not.deep.equal([])
  })

  it('loses no acknowledged write, repeats no id, and applies no write that it reports as unapplied', () => {
    // one array each, because chai abbreviates nested values
    for (const violations of Object.values(run.audit)) expect(violations).to.deep.equal([])
  })

  it('shows acknowledged writes, and ends an incomplete list with a Left', () => {
    expect(run.wrongReads).to.deep.equal([])
  })

  it('works again within 5 seconds after the fault', () => {
    expect(run.failing).to.deep.equal([])
  })
}

/** Repeats every operation before, during and after a fault. Opens a remote storage twice, like two processes. */
export const runThrough = async (harness: OutageHarness, fault: string): Promise<OutageRun> => {
  const { create, isRemote, faultMs = longFaultMs } = harness
  const data = await create(fault)
  const storages: CheckedStorage[] = []
  let isOver = false
  try {
    const first = await data.open(users)
    storages.push(first, ...(isRemote ? [await data.open(users)] : []))
    const load = portLoad(await createMany(first, size))
    // all storages write to one row, so that the locks of a lost connection are noticed
    const counterRow = must(await first.snippets.create(draft(counter))())
    const callers = storages.map((storage, caller) => portSteps(storage, load, counterRow, caller))
    const repeat = async (step: Step): Promise<void> => {
      for (; !isOver; await pause(paceMs)) await step()
    }
    const loops = Promise.all(callers.flatMap(steps => Object.values(steps).map(repeat)))
    const failingBefore = await failingWithin(startMs, load, callers.length)
    if (failingBefore.length > 0) throw new Error(`no success before the fault of\n${failingBefore.join('\n')}`)

    const begin = performance.now()
    await data.break()
    // creations with and without a key, and more reads than a pool has connections, begin in the fault
    const hit = callers.flatMap(({ create, createOnce, page }) => [
      ...[create(), createOnce(), createOnce()],
      ...Array.from({ length: burst }, page),
    ])
    await pause(faultMs)
    await data.restore()
    const end = performance.now()
    const failing = await failingWithin(maxRecoveryMs, load, callers.length)
    isOver = true
    // an operation without a deadline may never end
    await Promise.race([Promise.all([...hit, loops]), pause(2 * maxAnswerMs)])
    if (failing.length === 0) await succeedInCreating(load, callers[0]?.createOnce)

    await Promise.all(storages.splice(0).map(({ close }) => close()))
    const reopened = await data.open(users)
    storages.push(reopened)
    return { ...load, begin, end, failing, audit: audit(load.ledger, await everything(reopened.snippets)) }
  } finally {
    isOver = true
    await Promise.all(storages.map(({ close }) => close()))
    await data.remove()
  }
}

/** Repeats the creations with a key that have not succeeded yet. */
const succeedInCreating = ({ ledger, calls }: PortLoad, createOnce: Step | undefined): Promise<void> =>
  eventually(
    async () => {
      if (ledger.repeating.size > 0) await createOnce?.()
      return ledger.repeating.size === 0
    },
    maxRecoveryMs,
    () => `creations with a key fail: ${calls.findLast(({ operation }) => operation === 'createOnce')?.reason}`,
  )

/**
 * Waits until each caller has succeeded in each operation, begun after now. Returns the operations that have not succeeded
 * after `ms`, with their reasons.
 */
const failingWithin = async (ms: number, { calls }: PortLoad, callers: number): Promise<readonly string[]> => {
  const [since, ended] = [performance.now(), calls.length]
  const failing = (): readonly string[] => {
    const recent = calls.slice(ended).filter(({ startedAt }) => startedAt >= since)
    return Array.from({ length: callers }, (_, caller) =>
      operations.flatMap(operation => {
        const own = recent.filter(call => call.caller === caller && call.operation === operation)
        if (own.some(({ outcome }) => outcome === 'done')) return []
        return `${operation} by caller ${caller}: ${own.at(-1)?.reason ?? 'no call ended'}`
      }),
    ).flat()
  }
  await eventually(() => failing().length === 0, ms).catch(() => {})
  return failing()
}
