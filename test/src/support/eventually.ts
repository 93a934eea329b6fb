import { setTimeout as wait } from 'node:timers/promises'

/** Waits until this holds. Mocha's timeout ends the wait of a test that fails. */
export const eventually = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await wait(5)
}
