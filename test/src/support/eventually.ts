import { setTimeout as wait } from 'node:timers/promises'

/** Waits until the condition holds. Mocha's timeout ends the wait of a failing test. */
export const eventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await wait(5)
}
