export type Batching<Job> = Readonly<{
  /** Whether nobody waits for the job any more. While the database is away such jobs would pile up. */
  isOver: (job: Job) => boolean
  /** How many jobs one batch takes at the most. */
  size: number
  /** How many batches may be under way at once. */
  lanes: number
  /** A batch that takes longer than this, in milliseconds, is stuck: it holds the others back no more. */
  stuckAfter: number
}>

/**
 * Jobs that arrive while batches are under way wait and go together with the next; a lone job goes at once. There is no
 * timer, so no job waits for company. `run` answers each job by itself and never rejects.
 */
export const batched = <Job>(
  run: (jobs: readonly Job[]) => Promise<void>,
  { isOver, size, lanes, stuckAfter }: Batching<Job>,
): ((job: Job) => void) => {
  const waiting: Job[] = []
  const underWay = new Set<Readonly<{ since: number }>>()

  const isLaneFree = (): boolean => {
    if (underWay.size < lanes) return true
    const now = performance.now()
    return [...underWay].filter(({ since }) => now - since < stuckAfter).length < lanes
  }

  const start = async (): Promise<void> => {
    const batch = { since: performance.now() }
    underWay.add(batch)
    await run(waiting.splice(0, size))
    underWay.delete(batch)
    startNext()
  }

  /** Who came first is over first. */
  const forgetOver = (): void => {
    const awaited = waiting.findIndex(job => !isOver(job))
    if (awaited !== 0) waiting.splice(0, awaited < 0 ? waiting.length : awaited)
  }

  const startNext = (): void => {
    forgetOver()
    if (waiting.length > 0 && isLaneFree()) void start()
  }

  return job => {
    waiting.push(job)
    startNext()
  }
}
