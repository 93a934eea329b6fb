import { setTimeout as pause } from 'node:timers/promises'
import { maxAnswerMs } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import * as E from 'fp-ts/lib/Either.js'
import { type Audit, audit } from '../../support/faults/ledger.js'
import {
  type PortCall,
  type PortLoad,
  portLoad,
  portOperations,
  portSteps,
  portWrites,
} from '../../support/faults/port-load.js'
import { anId, draft, must } from '../../support/snippets.js'
import type { BreakableData, CheckedStorage, OutageHarness } from './outage-contract.js'
import { createMany, everything } from './stream.js'

const users = [{ id: anId(1n), username: 'ann' }]

/** Longer than the deadline of an operation, so that each settles during the fault. */
const longFaultMs = maxAnswerMs + 500
/** A time without operations after the break, so that most connections are idle when they close. */
const idleMs = 50
const settleMs = 500
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
    if (E.isLeft(found)) throw found.left
    run = found.right
  })
  const isWrite = ({ operation }: PortCall): boolean => portWrites.some(write => write === operation)
  const failed = ({ outcome }: PortCall): boolean => outcome === 'unapplied' || outcome === 'unknown'

  it('settles every operation before the deadline, with a Left for a failure', () => {
    expect(run.unexpected).to.deep.equal([])
    expect(run.calls.filter(({ ms }) => ms > maxAnswerMs)).to.deep.equal([])
  })

  it('fails writes and the health check, and reports an unknown outcome for writes only, and for lost replies', () => {
    const during = run.calls.filter(({ startedAt, ms }) => startedAt < run.end && startedAt + ms > run.begin)
    if (!mayHide) {
      const failedCalls = during.filter(failed)
      expect(failedCalls.some(isWrite), 'a write failed').to.equal(true)
      expect(
        failedCalls.some(({ operation }) => operation === 'check'),
        'the health check failed',
      ).to.equal(true)
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

type Steps = ReturnType<typeof portSteps>

/** Repeats every operation before, during and after a fault. Opens a remote storage twice, like two processes. */
export const runThrough = async (harness: OutageHarness, fault: string): Promise<OutageRun> => {
  const { create, isRemote, faultMs = longFaultMs } = harness
  const data = await create(fault)
  const storages: CheckedStorage[] = []
  try {
    const first = await data.open(users)
    storages.push(first, ...(isRemote ? [await data.open(users)] : []))
    const seeds = await createMany(first, size)
    const load = portLoad(seeds.slice(0, size / 2), seeds.slice(size / 2))
    // all storages write to one row, so that the locks of a lost connection are noticed
    const counter = must(await first.snippets.create(draft({ title: 'counter', code: '0' }))())
    const steps = storages.map((storage, caller) => portSteps(storage, load, counter, caller))
    const loops = loopsOf(steps)
    try {
      const times = await disturb(data, load, steps, faultMs, isRemote ? undefined : loops)
      await loops.end()
      if (times.failing.length === 0) await succeedInCreating(load, steps[0])
      await Promise.all(storages.splice(0).map(({ close }) => close()))
      const reopened = await data.open(users)
      storages.push(reopened)
      return { ...load, ...times, audit: audit(load.ledger, await everything(reopened.snippets)) }
    } finally {
      // an operation without a deadline may never end
      await Promise.race([loops.end(), pause(2 * maxAnswerMs)])
    }
  } finally {
    await Promise.all(storages.map(({ close }) => close()))
    await data.remove()
  }
}

/** Repeats each step in a loop of its own. */
const loopsOf = (steps: readonly Steps[]) => {
  let [isOver, isPaused] = [false, false]
  const active = new Set<Promise<unknown>>()
  const repeat = async (step: () => Promise<unknown>): Promise<void> => {
    while (!isOver) {
      const stepping = isPaused ? Promise.resolve() : step()
      active.add(stepping)
      await stepping
      active.delete(stepping)
      await pause(paceMs)
    }
  }
  const loops = steps.flatMap(step => portOperations.map(operation => repeat(step[operation])))
  return {
    pause: (): Promise<unknown> => {
      isPaused = true
      return Promise.all(active)
    },
    resume: () => {
      isPaused = false
    },
    end: (): Promise<unknown> => {
      isOver = true
      return Promise.all(loops)
    },
  }
}

/**
 * Breaks the storage and restores it. Pauses `localLoops` before the fault: otherwise only the batch in progress would meet it,
 * and a local storage would reject the queued writes unsent.
 */
const disturb = async (
  data: BreakableData,
  load: PortLoad,
  steps: readonly Steps[],
  faultMs: number,
  localLoops: ReturnType<typeof loopsOf> | undefined,
) => {
  const failingBefore = await untilAllSucceed(load, steps.length, startMs)
  if (failingBefore.length > 0) throw new Error(`no success before the fault of\n${failingBefore.join('\n')}`)
  await localLoops?.pause()
  const begin = performance.now()
  await data.break()
  await pause(idleMs)
  // creations with and without a key, and more reads than a pool has connections, begin in the fault
  const hit = steps.flatMap(({ create, createOnce, page }) => [
    ...[create(), createOnce(), createOnce()],
    ...Array.from({ length: burst }, page),
  ])
  localLoops?.resume()
  await pause(faultMs)
  await data.restore()
  const end = performance.now()
  const failing = await untilAllSucceed(load, steps.length, maxRecoveryMs)
  await pause(settleMs)
  await Promise.all(hit)
  return { begin, end, failing }
}

/** Repeats the creations with a key that have not succeeded yet. */
const succeedInCreating = async ({ ledger, calls }: PortLoad, steps: Steps | undefined): Promise<void> => {
  const giveUpAt = performance.now() + maxRecoveryMs
  while (ledger.repeating.size > 0) {
    if (performance.now() > giveUpAt) {
      const reason = calls.findLast(({ operation }) => operation === 'createOnce')?.reason
      throw new Error(`creations with a key fail for ${maxRecoveryMs} ms: ${reason}`)
    }
    await steps?.createOnce()
  }
}

/**
 * Resolves when each caller has succeeded in each operation, begun after now, or after `ms`. Returns the operations that
 * have not succeeded, with their reasons.
 */
const untilAllSucceed = async ({ calls }: PortLoad, callers: number, ms: number): Promise<readonly string[]> => {
  const since = performance.now()
  const giveUpAt = since + ms
  const named = ({ caller, operation }: Pick<PortCall, 'caller' | 'operation'>) => `${operation} by caller ${caller}`
  const expected = Array.from({ length: callers }, (_, caller) =>
    portOperations.map(operation => named({ caller, operation })),
  ).flat()
  for (;;) {
    const recent = calls.filter(({ startedAt }) => startedAt >= since)
    const done = new Set(recent.filter(({ outcome }) => outcome === 'done').map(named))
    const missing = expected.filter(name => !done.has(name))
    if (missing.length === 0) return []
    if (performance.now() > giveUpAt)
      return missing.map(name => `${name}: ${recent.findLast(call => named(call) === name)?.reason ?? 'no call ended'}`)
    await pause(20)
  }
}
