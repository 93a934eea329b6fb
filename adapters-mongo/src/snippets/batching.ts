export type Batching<Job> = Readonly<{
  /** Whether nobody waits for the job any more. While the database is away, such jobs would pile up. */
  isOver: (job: Job) => boolean
  /** The most jobs that one batch takes. */
  size: number
  /** The most batches that run at once. */
  lanes: number
  /** A batch that runs longer than this, in milliseconds, is stuck and frees its lane for the next. */
  stuckAfter: number
}>

/**
 * Batches without timers: jobs that arrive in the same turn of the event loop run together at its end, and so do those that
 * arrive while all lanes are busy, as soon as one is free. `run` must answer each job by itself, and must not reject.
 */
export class Batcher<Job> {
  readonly #run: (jobs: readonly Job[]) => Promise<void>
  readonly #options: Batching<Job>
  readonly #waiting: Job[] = []
  /** When each batch is to be found stuck; the oldest first. */
  readonly #running = new Set<Readonly<{ stuckAt: number }>>()
  #timer: NodeJS.Timeout | undefined
  #isGathering = false

  constructor(run: (jobs: readonly Job[]) => Promise<void>, options: Batching<Job>) {
    this.#run = run
    this.#options = options
  }

  add(job: Job): void {
    this.#waiting.push(job)
    // a turn may be long while many sockets are readable
    if (this.#waiting.length === this.#options.size) this.#startNext()
    else if (!this.#isGathering) this.#gather()
  }

  /** The answers of a batch go out together, so the next requests of their clients come together: without this, one alone. */
  #gather(): void {
    this.#isGathering = true
    setImmediate(() => {
      this.#isGathering = false
      this.#startNext()
    })
  }

  #startNext(): void {
    this.#dropOver()
    if (this.#waiting.length === 0) return
    const msUntilFree = this.#msUntilFreeLane()
    if (msUntilFree <= 0) void this.#start()
    else this.#timer ??= setTimeout(() => this.#startLater(), msUntilFree).unref()
  }

  /** A stuck batch does not tell when it ends. */
  #startLater(): void {
    this.#timer = undefined
    this.#startNext()
  }

  async #start(): Promise<void> {
    const batch = { stuckAt: performance.now() + this.#options.stuckAfter }
    this.#running.add(batch)
    await this.#run(this.#waiting.splice(0, this.#options.size))
    this.#running.delete(batch)
    this.#startNext()
  }

  /** Jobs time out in arrival order. */
  #dropOver(): void {
    const firstAwaited = this.#waiting.findIndex(job => !this.#options.isOver(job))
    if (firstAwaited !== 0) this.#waiting.splice(0, firstAwaited < 0 ? this.#waiting.length : firstAwaited)
  }

  /** Until a lane is free even if no batch ends. */
  #msUntilFreeLane(): number {
    const { lanes } = this.#options
    if (this.#running.size < lanes) return 0
    const now = performance.now()
    const active = [...this.#running].filter(({ stuckAt }) => stuckAt > now)
    return active.length < lanes || active[0] === undefined ? 0 : active[0].stuckAt - now
  }
}
