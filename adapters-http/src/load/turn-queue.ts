import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Creates a function whose calls resolve in separate turns of the event loop. Long work in one turn would delay all
 * other requests.
 */
export const turnQueue = (): (() => Promise<void>) => {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
