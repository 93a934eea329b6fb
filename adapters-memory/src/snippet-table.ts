import { setTimeout as pause, setImmediate } from 'node:timers/promises'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { type Overloaded, overloaded, type SearchTooBroad, searchTooBroad } from '@snippets/domain/ports/errors.js'
import { type Filter, filteredFields, matcherOfFilter } from '@snippets/domain/queries/filter.js'
import { offsetOf, type Page, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { type Plan, planName, planOf } from '@snippets/domain/queries/plan.js'
import type { Id } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import {
  compareFields,
  compareItems,
  type ListItem,
  listItemOf,
  listPositionOf,
  snippetOf,
  sortItems,
} from './list-items.js'
import { SortedList } from './sorted-list.js'

/** The longest duration of a scan, and of a part of it that blocks the event loop. */
const maxScanMs = 1000
const maxSliceMs = 5

/** The longest time that a page waits for other lists to be built before its own. */
const maxListWaitMs = 1000

/** The limit of sorted lists besides the list by id. Each costs time on every write, and memory for every snippet. */
export const maxLists = 16

/** All snippets, in one sorted list for each recently used plan. */
export class SnippetTable {
  readonly #byId: SortedList<ListItem>
  /** The lists by the names of their plans. The most recently used list is the last. */
  readonly #lists = new Map<string, SortedList<ListItem>>()
  readonly #listLimit: number
  /** Resolves when the next list may be built. */
  #nextBuild: Promise<void> | undefined

  constructor(snippets: readonly Snippet[] = [], listLimit = maxLists) {
    this.#byId = new SortedList(compareItems([]), snippets.map(listItemOf))
    this.#listLimit = listLimit
  }

  get size(): number {
    return this.#byId.length
  }

  get(id: Id): O.Option<Snippet> {
    return O.map(snippetOf)(this.#find(id))
  }

  /** Stores the snippet under this id. Undefined removes it. */
  set(id: Id, snippet: Snippet | undefined): void {
    const old = this.#find(id)
    const item = snippet && listItemOf(snippet)
    for (const list of [this.#byId, ...this.#lists.values()]) {
      if (O.isSome(old)) list.remove(old.value)
      if (item !== undefined) list.insert(item)
    }
  }

  /** Returns a page. The first use of a plan builds its list. */
  async page(query: SnippetQuery): Promise<E.Either<Overloaded, Page<Snippet>>> {
    const planned = planOf(query)
    const list = await this.#listOf(planned.plan, performance.now() + maxListWaitMs)
    if (E.isLeft(list)) return list
    return E.right(pageOf(list.right, rangeOf(list.right, planned.plan, query.filter), planned, query))
  }

  /**
   * Tests the rows one by one. Times out `maxScanMs` after the start of the scan, or after `latestStart` if that is
   * earlier. The page shows the table as it was at the start of the scan.
   */
  async scan(query: SnippetQuery, latestStart: number): Promise<E.Either<Overloaded | SearchTooBroad, Page<Snippet>>> {
    await setImmediate()
    const planned = planOf(query)
    const list = await this.#listOf(planned.plan, latestStart)
    if (E.isLeft(list)) return list
    const isMatch = matcherOfFilter(query.filter)
    const found: ListItem[] = []
    const endBy = Math.min(performance.now(), latestStart) + maxScanMs
    let sliceEnd = performance.now() + maxSliceMs
    for (const item of list.right.slice(...rangeOf(list.right, planned.plan, query.filter))) {
      const now = performance.now()
      if (now >= endBy) return E.left(searchTooBroad)
      if (now >= sliceEnd) {
        await setImmediate()
        sliceEnd = performance.now() + maxSliceMs
      }
      if (isMatch(snippetOf(item))) found.push(item)
    }
    const matches = new SortedList(compareItems(planned.plan), found)
    return E.right(pageOf(matches, [0, found.length], planned, query))
  }

  /** Returns the snippets with the smallest ids above this one. */
  after(id: bigint, count: number): readonly Snippet[] {
    const rank = this.#byId.rank(item => item.id <= id)
    return this.#byId.slice(rank, rank + count).map(snippetOf)
  }

  #find(id: Id): O.Option<ListItem> {
    return O.filter((item: ListItem) => item.id === id)(this.#byId.first(item => item.id < id))
  }

  /**
   * Returns the list of a plan, and builds it if it is missing. Builds take at most half of the time, so that other
   * requests are served. A list that still waits for other builds at `latestStart` is not built.
   */
  async #listOf(plan: Plan, latestStart: number): Promise<E.Either<Overloaded, SortedList<ListItem>>> {
    if (plan.length === 0) return E.right(this.#byId)
    const name = planName(plan)
    while (this.#nextBuild !== undefined && !this.#lists.has(name)) {
      if (performance.now() > latestStart) return E.left(overloaded)
      await this.#nextBuild
    }
    const list = this.#lists.get(name) ?? this.#build(plan)
    this.#lists.delete(name)
    this.#lists.set(name, list)
    const [leastRecent = name] = this.#lists.keys()
    if (this.#lists.size > this.#listLimit) this.#lists.delete(leastRecent)
    return E.right(list)
  }

  #build(plan: Plan): SortedList<ListItem> {
    const startedAt = performance.now()
    const list = new SortedList(compareItems(plan), sortItems(plan, this.#byId.slice(0, this.#byId.length)))
    this.#nextBuild = pause(performance.now() - startedAt).then(() => {
      this.#nextBuild = undefined
    })
    return list
  }
}

/** The rank of the first match of the filtered fields, and the rank after the last. */
type Range = readonly [start: number, end: number]

const rangeOf = (list: SortedList<ListItem>, plan: Plan, filter: Filter): Range => {
  const compare = compareFields(plan.slice(0, filteredFields(filter).length))
  const values = listPositionOf(filter)
  return [list.rank(item => compare(item, values) < 0), list.rank(item => compare(item, values) <= 0)]
}

const pageOf = (
  list: SortedList<ListItem>,
  [start, end]: Range,
  { plan, isReversed }: ReturnType<typeof planOf>,
  { filter, seek, window }: SnippetQuery,
): Page<Snippet> => {
  const count = end - start
  const read = (from: number, to: number): readonly Snippet[] =>
    (isReversed ? list.slice(end - to, end - from).reverse() : list.slice(start + from, start + to)).map(snippetOf)

  const { size } = window
  if (seek === undefined) {
    const from = Math.min(count, offsetOf(window))
    return { count, items: read(from, Math.min(count, from + size)) }
  }
  const { side, position } = seek
  const values = listPositionOf({ ...position, ...filter })
  const compare = compareItems(plan)
  // the row at the position belongs to neither page; a reversed query reads the list backwards
  const isAfterInList = (side === 'after') !== isReversed
  const rankInList = list.rank(item => compare(item, values) < (isAfterInList ? 1 : 0))
  const rank = isReversed ? end - rankInList : rankInList - start
  const [from, to] = side === 'after' ? [rank, Math.min(count, rank + size)] : [Math.max(0, rank - size), rank]
  return { count, items: read(from, to), hasMore: side === 'after' ? to < count : from > 0 }
}
