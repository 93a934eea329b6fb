import { unavailable } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import { type InTime, tooManyWait } from './operation.js'
import type { OutageLog } from './outage-log.js'

/** An operation that has waited this long is refused: together with its work it would take too long. */
const lineMs = 500

/** More than a service lets in at a time. */
export const maxWaiting = 1000

/** `queued` is the number of operations that wait. */
export type InLine = InTime & Readonly<{ queued: () => number }>

/**
 * Gives the driver a fixed number of operations at a time. The others wait in a line of bounded length and time, so that
 * what begins has all of its time left. An operation that is answered makes room, even if the driver is still busy with it:
 * the driver's own timeouts bound how many of those there are.
 */
export const inLine = (inTime: InTime, atATime: number, outages: OutageLog): InLine => {
  const waiting = new Set<() => void>()
  let underWay = 0

  /** False when it does not come in time. */
  const turn = (): Promise<boolean> =>
    new Promise(resolve => {
      const leave = (hasTurn: boolean): void => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve(hasTurn)
      }
      const begin = (): void => leave(true)
      const timer = setTimeout(leave, lineMs, false)
      waiting.add(begin)
    })

  const run: InTime = async work => {
    if (underWay < atATime) underWay++
    else if (waiting.size >= maxWaiting || !(await turn())) {
      outages.failed(tooManyWait)
      return E.left(unavailable('unapplied', tooManyWait))
    }
    const result = await inTime(work)
    const [next] = waiting
    if (next === undefined) underWay--
    else next()
    return result
  }
  return Object.assign(run, { queued: () => waiting.size })
}
