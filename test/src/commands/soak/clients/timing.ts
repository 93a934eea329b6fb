import { setTimeout as wait } from 'node:timers/promises'

export const deadline = (ms: number) => {
  const end = performance.now() + ms
  return { left: () => Math.max(0, end - performance.now()), isOver: () => performance.now() >= end }
}

/** Runs this many workers at once, until all have ended. */
export const together = async <A>(count: number, work: (index: number) => Promise<A>): Promise<readonly A[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Waits until it is so, or the time is over. False then. */
export const isSoWithin = async (isSo: () => boolean, ms: number): Promise<boolean> => {
  const time = deadline(ms)
  while (!isSo() && !time.isOver()) await wait(20)
  return isSo()
}

/** For what everything after it depends on: what a scenario measures without it would look like a goal that is met. */
export const until = async (isSo: () => boolean, ms: number): Promise<void> => {
  if (!(await isSoWithin(isSo, ms))) throw new Error(`waited for ${ms} ms in vain`)
}
