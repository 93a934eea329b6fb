import { type InTime, queueFull } from '@snippets/application/remote-storage/operation.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'

/** Work that has waited this long is rejected: waiting and working together would take too long. */
const maxQueuedMs = 500

/** More than the service admits at a time. */
export const maxQueuedOperations = 1000

/** Runs the work when its turn comes. Returns the other answer if that takes too long or the queue is full. */
export type RunQueued = <A>(work: () => Promise<A>, otherwise: () => A, waitMs?: number) => Promise<A>

export const runNow: RunQueued = work => work()

export type OperationQueue = Readonly<{ run: RunQueued; queued: () => number }>

/**
 * Bounds the operations in flight. The queue is bounded in length and in time, so that an operation that begins has all of
 * its time left. An operation that timed out leaves the queue even if the driver still works on it: the driver's own
 * timeouts bound the number of such operations.
 */
export const operationQueue = (concurrency: number): OperationQueue => {
  const waiting = new Set<() => void>()
  let inFlight = 0

  /** Resolves to false if the turn does not come in time. */
  const turn = (waitMs: number): Promise<boolean> =>
    new Promise(resolve => {
      const leave = (hasTurn: boolean): void => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve(hasTurn)
      }
      const begin = (): void => leave(true)
      const timer = setTimeout(leave, waitMs, false)
      waiting.add(begin)
    })

  const run: RunQueued = async (work, otherwise, waitMs = maxQueuedMs) => {
    if (inFlight < concurrency) inFlight++
    else if (waiting.size >= maxQueuedOperations || !(await turn(waitMs))) return otherwise()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next === undefined) inFlight--
      else next()
    }
  }
  return { run, queued: () => waiting.size }
}

export const inQueue =
  ({ run }: OperationQueue, inTime: InTime): InTime =>
  work =>
    run(
      () => inTime(work),
      () => E.left(unavailable('unapplied', queueFull)),
    )
