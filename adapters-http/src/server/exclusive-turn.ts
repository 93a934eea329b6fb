import { setImmediate as nextTurn } from 'node:timers/promises'

let last = Promise.resolve()

/** Resolves in a turn of the event loop of its own, because long work in one turn would delay all other requests. */
export const nextExclusiveTurn = (): Promise<void> => {
  last = last.then(() => nextTurn())
  return last
}
