import type { Count } from '@snippets/domain/page.js'

type Run = Readonly<{ writes: number; startedAt: number; result: Promise<Count> }>

type Counted = Readonly<{ answer: Count; writes: number; endedAt: number; ms: number }>

type Entry = { running?: Run | undefined; next?: Promise<Count> | undefined; last?: Counted }

/** A count of this many or more that took this long is worth sharing with those who came after it began. */
const slow = { count: 10_000, ms: 100 }

/** How long a slow count is remembered, and for how long a filter that took too long is not counted again. */
const remembered = { exactMs: 1000, lowerBoundMs: 10_000 }

/** A count that runs longer is stuck; the next does not wait for it. */
const stuckAfterMs = 1200

const maxFilters = 1000

/**
 * Runs one count of a filter at a time, for everybody who asks: who comes while it runs shares the next one, which sees
 * every write that was acknowledged before. Only slow counts are also shared with those who come while they run and for a
 * moment after, unless this process has written since they began.
 */
export class SharedCounts<F extends object> {
  readonly #count: (filter: F) => Promise<Count>
  readonly #entries = new Map<string, Entry>()
  #writes = 0

  constructor(count: (filter: F) => Promise<Count>) {
    this.#count = count
  }

  /** Something was written, so that what was counted before may be wrong. */
  outdate(): void {
    this.#writes++
  }

  /** Whether the filter was counted before. Then its next page probably needs a count, too. */
  has(filter: F): boolean {
    return this.#entries.has(JSON.stringify(filter))
  }

  of(filter: F): Promise<Count> {
    const entry = this.#entryOf(JSON.stringify(filter))
    if (entry.last && this.#isValid(entry.last)) return Promise.resolve(entry.last.answer)
    const { running } = entry
    if (running === undefined || performance.now() - running.startedAt > stuckAfterMs)
      return entry.next ?? this.#start(entry, filter)
    if (isSlow(entry.last) && running.writes === this.#writes) return running.result
    entry.next ??= running.result.then(ignore, ignore).then(() => {
      entry.next = undefined
      return this.#start(entry, filter)
    })
    return entry.next
  }

  #entryOf(key: string): Entry {
    const found = this.#entries.get(key)
    if (found) return found
    const [oldest] = this.#entries.keys()
    if (this.#entries.size >= maxFilters && oldest !== undefined) this.#entries.delete(oldest)
    const entry: Entry = {}
    this.#entries.set(key, entry)
    return entry
  }

  #isValid(last: Counted): boolean {
    const age = performance.now() - last.endedAt
    if (last.answer.countIsLowerBound) return age < remembered.lowerBoundMs
    return isSlow(last) && last.writes === this.#writes && age < remembered.exactMs
  }

  #start(entry: Entry, filter: F): Promise<Count> {
    const run: Run = { writes: this.#writes, startedAt: performance.now(), result: this.#count(filter) }
    entry.running = run
    const end = (): void => {
      if (entry.running === run) entry.running = undefined
    }
    run.result.then(answer => {
      const endedAt = performance.now()
      entry.last = { answer, writes: run.writes, endedAt, ms: endedAt - run.startedAt }
      end()
    }, end)
    return run.result
  }
}

const isSlow = (last: Counted | undefined): boolean =>
  last !== undefined &&
  (last.answer.countIsLowerBound === true || (last.answer.count >= slow.count && last.ms >= slow.ms))

const ignore = (): void => {}
