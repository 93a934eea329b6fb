import type { Id } from '@snippets/domain/id.js'
import { filteredFields, type Page, type SnippetQuery } from '@snippets/domain/page.js'
import { pageByRank } from '@snippets/domain/page-by-rank.js'
import { nameOf, type Plan, planOf } from '@snippets/domain/plan.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import * as O from 'fp-ts/lib/Option.js'
import { compareFields, comparePlaces, type Entry, entryOf, snippetOf, sortedBy, sortValues } from './place.js'
import { SortedList } from './sorted-list.js'

/** A snippet before and after a write: undefined before it is created, and after it is deleted. */
export type SnippetChange = Readonly<{ before: Snippet | undefined; after: Snippet | undefined }>

/** Every snippet, in a list for each plan that a page was asked for. */
export class SnippetTable {
  readonly #byId: SortedList<Entry>
  /** By the names of their plans. */
  readonly #lists: Map<string, SortedList<Entry>>

  constructor(snippets: readonly Snippet[] = []) {
    this.#byId = new SortedList(comparePlaces([]), snippets.map(entryOf))
    this.#lists = new Map([[nameOf([]), this.#byId]])
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
    const { plan, isReversed } = planOf(query)
    const list = this.#listOf(plan)
    const filter = sortValues(query.filter)
    const compareFilter = compareFields(plan.slice(0, filteredFields(query.filter).length))
    const start = list.rank(entry => compareFilter(entry, filter) < 0)
    const end = list.rank(entry => compareFilter(entry, filter) <= 0)
    const compare = comparePlaces(plan)
    return pageByRank(query, {
      count: end - start,
      rankOf: ({ side, position }) => {
        const place = { ...sortValues({ ...position, ...query.filter }), id: position.id }
        const isPassed = (side === 'after') !== isReversed
        const rank = list.rank(entry => compare(entry, place) < (isPassed ? 1 : 0))
        return isReversed ? end - rank : rank - start
      },
      read: (from, to) =>
        (isReversed ? list.slice(end - to, end - from).reverse() : list.slice(start + from, start + to)).map(snippetOf),
    })
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
