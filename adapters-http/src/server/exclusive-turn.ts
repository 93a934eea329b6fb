import { setImmediate as nextTurn } from 'node:timers/promises'

/** Resolves in a turn of the event loop of its own. */
export type ExclusiveTurn = () => Promise<void>

/**
 * Returns a function that shares out the turns of the event loop. Long work in one turn would delay all other requests,
 * and Node accepts one connection per turn.
 */
export const createExclusiveTurn = (): ExclusiveTurn => {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
