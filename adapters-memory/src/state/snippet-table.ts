import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { overloaded, type PageError } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import { type Filter, matcherOfFilter, needsScan } from '@snippets/domain/queries/filter.js'
import { offsetOf, type Page, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { type Plan, planName, planOf } from '@snippets/domain/queries/plan.js'
import { compareBy, type SortValues } from '@snippets/domain/queries/position.js'
import { type Id, maxId } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { type SearchQueue, scan } from './searches.js'
import { SortedList } from './sorted-list.js'

/** The snippets that a build inserts in a turn of the event loop, so that it delays other requests little. */
const snippetsPerTurn = 512

/**
 * The longest wait of a page, for its list to be built and then in the queue of searches. Wait and scan together leave
 * the rest of `maxAnswerMs` to the event loop.
 */
const maxPageWaitMs = 0.4 * maxAnswerMs

type SnippetList = SortedList<SortValues, Snippet>

/** A list that holds the snippets whose id is `builtFrom` or larger. It is complete when `builtFrom` is 0. */
type PlanList = { readonly list: SnippetList; builtFrom: bigint }

/** All snippets, in a sorted list by id, and in one for each other plan that a query has used. */
export class SnippetTable {
  readonly #sortedById: SnippetList
  /** The lists by the names of their plans. */
  readonly #lists: Map<string, PlanList>
  /** Resolves when every list that was requested so far is complete. */
  #builds: Promise<void> = Promise.resolve()

  /** `snippets` MUST be sorted by id. */
  constructor(snippets: readonly Snippet[]) {
    this.#sortedById = new SortedList(compareBy([]), snippets)
    this.#lists = new Map([[planName([]), { list: this.#sortedById, builtFrom: 0n }]])
  }

  get(id: Id): Snippet | undefined {
    return this.#sortedById.find({ id })
  }

  /** Returns the snippets with the smallest ids above this one. */
  after(id: bigint, count: number): readonly Snippet[] {
    const rank = this.#sortedById.rank({ id: id + 1n })
    return this.#sortedById.slice(rank, rank + count)
  }

  /** Stores the snippet under this id. Undefined removes it. */
  set(id: Id, snippet: Snippet | undefined): void {
    const old = this.#sortedById.find({ id })
    for (const { list, builtFrom } of this.#lists.values()) {
      // the build has yet to reach this id
      if (id < builtFrom) continue
      if (old !== undefined) list.remove(old)
      if (snippet !== undefined) list.insert(snippet)
    }
  }

  /** Returns a page. The first use of a plan builds its list. A search scans a copy of the rows. */
  async page(query: SnippetQuery, queueSearch: SearchQueue): Promise<E.Either<PageError, Page<Snippet>>> {
    const startBy = performance.now() + maxPageWaitMs
    const { plan, isReversed } = planOf(query)
    const sorted = this.#listOf(plan)
    while (sorted.builtFrom > 0n) {
      if (performance.now() > startBy) return E.left(overloaded)
      await nextTurn()
    }
    const { list } = sorted
    const { filter } = query
    if (!needsScan(filter)) return E.right(pageOf(list, rangeOf(list, filter), isReversed, query))
    const found = await queueSearch(startBy, () => scan(list.slice(...rangeOf(list, filter)), matcherOfFilter(filter)))
    if (E.isLeft(found)) return found
    const matches: SnippetList = new SortedList(compareBy(plan), found.right)
    return E.right(pageOf(matches, [0, found.right.length], isReversed, query))
  }

  /** Returns the list of a plan. The build of a new list begins after the builds of all earlier lists. */
  #listOf(plan: Plan): PlanList {
    const name = planName(plan)
    const known = this.#lists.get(name)
    if (known !== undefined) return known
    const added = { list: new SortedList(compareBy(plan), []), builtFrom: idAfterAll }
    this.#lists.set(name, added)
    this.#builds = this.#builds.then(() => this.#build(added))
    return added
  }

  /**
   * Builds a list by descending id, so that creations do not prolong the build. It goes on even if no page waits any
   * more, so that the next page finds the list.
   */
  async #build(unfinished: PlanList): Promise<void> {
    while (unfinished.builtFrom > 0n) {
      await nextTurn()
      const rank = this.#sortedById.rank({ id: unfinished.builtFrom })
      const snippets = this.#sortedById.slice(rank - snippetsPerTurn, rank)
      for (const snippet of snippets) unfinished.list.insert(snippet)
      unfinished.builtFrom = snippets[0]?.id ?? 0n
    }
  }
}

const idAfterAll = maxId + 1n

/** The rank of the first row that matches the filtered fields, and the rank after the last one. */
type Range = readonly [start: number, end: number]

/**
 * Returns the range of a filter in a list of its plan. A bound has only the filtered fields. All matches compare as
 * equal to it, so its id decides: 0 precedes them, `idAfterAll` follows them.
 */
const rangeOf = (list: SnippetList, filter: Filter): Range => [
  list.rank({ id: 0n, ...filter }),
  list.rank({ id: idAfterAll, ...filter }),
]

const pageOf = (
  list: SnippetList,
  [start, end]: Range,
  isReversed: boolean,
  { filter, seek, window }: SnippetQuery,
): Page<Snippet> => {
  const count = end - start
  const read = (from: number, to: number): readonly Snippet[] =>
    isReversed ? list.slice(end - to, end - from).reverse() : list.slice(start + from, start + to)

  const { size } = window
  if (seek === undefined) {
    const from = Math.min(count, offsetOf(window))
    const to = Math.min(count, from + size)
    return { count, items: read(from, to), hasMore: to < count }
  }
  const { side } = seek
  const position: SortValues = { ...seek.position, ...filter }
  // neither page contains the row at the position; a reversed query reads the list backwards
  const isAfterInList = (side === 'after') !== isReversed
  const rankInList = list.rank(isAfterInList ? { ...position, id: position.id + 1n } : position)
  const rank = isReversed ? end - rankInList : rankInList - start
  const [from, to] = side === 'after' ? [rank, Math.min(count, rank + size)] : [Math.max(0, rank - size), rank]
  return { count, items: read(from, to), hasMore: side === 'after' ? to < count : from > 0 }
}
