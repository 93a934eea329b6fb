import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Makes a function that waits for a turn of the event loop that no other caller of the function uses. Long work in one turn
 * would delay all other requests.
 */
export const turnQueue = (): (() => Promise<void>) => {
  let last = Promise.resolve()
  return () => {
    last = last.then(() => nextTurn())
    return last
  }
}
