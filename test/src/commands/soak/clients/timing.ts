import { setTimeout as wait } from 'node:timers/promises'

export const deadline = (ms: number) => {
  const end = performance.now() + ms
  return { left: () => Math.max(0, end - performance.now()), isOver: () => performance.now() >= end }
}

/** Runs this many workers at once, until all have ended. */
export const together = async <A>(count: number, work: (index: number) => Promise<A>): Promise<readonly A[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Waits until it is so, or the time is over. */
export const until = async (isSo: () => boolean, ms: number): Promise<boolean> => {
  const time = deadline(ms)
  while (!isSo() && !time.isOver()) await wait(20)
  return isSo()
}
