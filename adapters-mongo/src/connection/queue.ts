import { type InTime, tooManyWait } from '@snippets/application/remote-storage/operation.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'

/** Work that has waited this long is rejected: waiting and working together would take too long. */
const maxWaitMs = 500

/** More than a service admits at a time. */
export const maxQueued = 1000

/** Runs the work when it is its turn, or returns the other answer when that takes too long or too many wait. */
export type Run = <A>(work: () => Promise<A>, otherwise: () => A, waitMs?: number) => Promise<A>

export const runNow: Run = work => work()

export type Queue = Readonly<{ run: Run; queued: () => number }>

/**
 * Gives the driver a fixed number of operations at a time. The queue is bounded in length and in time, so that an operation
 * that begins has all of its time left. An answered operation makes room even if the driver is still busy with it: the
 * driver's own timeouts bound how many of those there are.
 */
export const queueOf = (atATime: number): Queue => {
  const waiting = new Set<() => void>()
  let inFlight = 0

  /** False when it does not come in time. */
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

  const run: Run = async (work, otherwise, waitMs = maxWaitMs) => {
    if (inFlight < atATime) inFlight++
    else if (waiting.size >= maxQueued || !(await turn(waitMs))) return otherwise()
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
  ({ run }: Queue, inTime: InTime): InTime =>
  work =>
    run(
      () => inTime(work),
      () => E.left(unavailable('unapplied', tooManyWait)),
    )
