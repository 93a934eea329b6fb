import { setImmediate } from 'node:timers/promises'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { filteredFields, matching, offsetOf, type Page, type SnippetQuery } from '@snippets/domain/list/page.js'
import { nameOf, type Plan, planOf } from '@snippets/domain/list/plan.js'
import { type SearchTooBroad, searchTooBroad } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { compareFields, comparePlaces, type Entry, entryOf, snippetOf, sortedBy, sortValues } from './place.js'
import { SortedList } from './sorted-list.js'

/** A snippet before and after a write: undefined before it is created, and after it is deleted. */
export type SnippetChange = Readonly<{ id: Id; before: Snippet | undefined; after: Snippet | undefined }>

/** How long a scan keeps all others waiting at a time. */
const sliceMs = 1

/** Every snippet, in a list for each plan that a page was asked for. */
export class SnippetTable {
  readonly #byId: SortedList<Entry>
  /** By the names of their plans. */
  readonly #lists: Map<string, SortedList<Entry>>

  constructor(snippets: readonly Snippet[] = []) {
    this.#byId = new SortedList(comparePlaces([]), snippets.map(entryOf))
    this.#lists = new Map([[nameOf([]), this.#byId]])
  }

  get size(): number {
    return this.#byId.length
  }

  get(id: Id): O.Option<Snippet> {
    const found = this.#byId.first(entry => entry.id < id)
    return found?.id === id ? O.some(snippetOf(found)) : O.none
  }

  apply({ before, after }: SnippetChange): void {
    const leaving = before && entryOf(before)
    const coming = after && entryOf(after)
    for (const list of this.#lists.values()) {
      if (leaving !== undefined) list.remove(leaving)
      if (coming !== undefined) list.insert(coming)
    }
  }

  page(query: SnippetQuery): Page<Snippet> {
    return this.#pageOf(this.#listOf(planOf(query).plan), query)
  }

  /** Tests row by row: the page of what matched at one moment, whatever is written meanwhile. Gives up when the time is over. */
  async scan(query: SnippetQuery, end: number): Promise<E.Either<SearchTooBroad, Page<Snippet>>> {
    const { plan } = planOf(query)
    const list = this.#listOf(plan)
    const isMatch = matching(query.filter)
    const found: Entry[] = []
    let sliceEnd = 0
    for (const entry of list.slice(...rangeOf(list, query))) {
      const now = performance.now()
      if (now >= end) return E.left(searchTooBroad)
      if (now >= sliceEnd) {
        await setImmediate()
        sliceEnd = performance.now() + sliceMs
      }
      if (isMatch(snippetOf(entry))) found.push(entry)
    }
    return E.right(this.#pageOf(new SortedList(comparePlaces(plan), found), query))
  }

  #pageOf(list: SortedList<Entry>, query: SnippetQuery): Page<Snippet> {
    const { plan, isReversed } = planOf(query)
    const [start, end] = rangeOf(list, query)
    const count = end - start
    const read = (from: number, to: number): readonly Snippet[] =>
      (isReversed ? list.slice(end - to, end - from).reverse() : list.slice(start + from, start + to)).map(snippetOf)

    const { size } = query.window
    if (query.seek === undefined) {
      const from = Math.min(count, offsetOf(query.window))
      return { count, items: read(from, Math.min(count, from + size)) }
    }
    const { side, position } = query.seek
    const place = { ...sortValues({ ...position, ...query.filter }), id: position.id }
    const compare = comparePlaces(plan)
    // the page after a position begins behind a row that is right there, the one before it ends in front of that
    const isPassed = (side === 'after') !== isReversed
    const found = list.rank(entry => compare(entry, place) < (isPassed ? 1 : 0))
    const rank = isReversed ? end - found : found - start
    const [from, to] = side === 'after' ? [rank, Math.min(count, rank + size)] : [Math.max(0, rank - size), rank]
    return { count, items: read(from, to), hasMore: side === 'after' ? to < count : from > 0 }
  }

  /** Those with the smallest ids above this one. */
  after(id: bigint, count: number): readonly Snippet[] {
    const rank = this.#byId.rank(entry => entry.id <= id)
    return this.#byId.slice(rank, rank + count).map(snippetOf)
  }

  /** Made when it is first asked for, and kept up from then on. */
  #listOf(plan: Plan): SortedList<Entry> {
    const name = nameOf(plan)
    const list =
      this.#lists.get(name) ??
      new SortedList(comparePlaces(plan), sortedBy(plan, this.#byId.slice(0, Number.POSITIVE_INFINITY)))
    this.#lists.set(name, list)
    return list
  }
}

/** The ranks of the first row that the filter matches, and of the one behind the last. */
const rangeOf = (list: SortedList<Entry>, query: SnippetQuery): readonly [number, number] => {
  const filter = sortValues(query.filter)
  const compare = compareFields(planOf(query).plan.slice(0, filteredFields(query.filter).length))
  return [list.rank(entry => compare(entry, filter) < 0), list.rank(entry => compare(entry, filter) <= 0)]
}
