import { setTimeout } from 'node:timers/promises'

/** The original timer, also while a test replaces the timers. */
const wait = setTimeout

/** Waits until the condition holds. Rejects with the reason after `ms`. */
export const eventually = async (
  holds: () => boolean | Promise<boolean>,
  ms = 15_000,
  reason: () => string = () => String(holds),
): Promise<void> => {
  const giveUpAt = performance.now() + ms
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`the condition does not hold within ${ms} ms: ${reason()}`)
    await wait(5)
  }
}
