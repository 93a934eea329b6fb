import type { Id } from '@snippets/domain/id.js'
import { type Filter, offsetOf, type Page, type SnippetQuery, type Window } from '@snippets/domain/page.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { type GroupField, groupFields, nameOf, planOf, type RangeField, subsets } from './index-keys.js'
import type { RankedList, Span } from './ranked-list.js'
import { Slots } from './slots.js'
import { SnippetGroup, type SortColumns, sortingsBy } from './snippet-group.js'
import { type Relabelled, TextLabels } from './text-labels.js'

/** Numbers below 2^63 are at most 2^10 apart, and the ids half-way to the next on either side become the same number. */
const mostWithSameNumber = 2 ** 10 + 1

/** Snippets in their slots, in a group of all and in groups of those that are equal in fields that nothing sorts by. */
export class SnippetIndexes {
  readonly #slots = new Slots()
  readonly #columns: SortColumns = {
    number: this.#slots.addColumn(),
    created_at: this.#slots.addColumn(),
    title: this.#slots.addColumn(),
  }
  /** They grow with the numbers in the order of the ids, but more coarsely: a number has 53 bits, an id 63. */
  readonly #ids = this.#slots.addColumn()
  #idsAheadOfSlots = 0
  readonly #sortings = sortingsBy(this.#columns)
  readonly #all = new SnippetGroup(this.#sortings)
  readonly #groups = new Map([[groupName([], {}), this.#all]])
  readonly #labels: Readonly<Record<RangeField, TextLabels>> = {
    title: new TextLabels(relabelled => this.#relabel('title', relabelled)),
  }

  constructor() {
    this.#all.makeIndexes()
  }

  /** The slot of a snippet. Large ids may be the same number, so the ids themselves are compared. */
  find(id: Id): number | undefined {
    const number = Number(id)
    // ids and slots grow together, so that a search is needed only after deletions
    const guess = number - this.#idsAheadOfSlots
    if (this.#ids.values[guess] === number && this.#slots.at(guess)?.id === id) return guess
    const slot = this.#byId.firstFrom(number, this.#ids)
    if (slot === undefined || this.at(slot).id === id) return slot
    if (this.#ids.values[slot] !== number) return undefined
    const from = this.#byId.countBelow(number, this.#ids)
    return this.#byId.copy({ from, to: from + mostWithSameNumber }).find(other => this.at(other).id === id)
  }

  at(slot: number): Snippet {
    return this.#slots.at(slot)
  }

  numberOf(slot: number): number {
    return this.#columns.number.values[slot] as number
  }

  /** The next slots by id. The snippet of this number may have been deleted. */
  after(number: number, size: number): readonly number[] {
    const from = this.#byId.countBelow(number + 1)
    return this.#byId.copy({ from, to: from + size })
  }

  insert(number: number, snippet: Snippet): void {
    const slot = this.#slots.take(snippet)
    this.#columns.number.values[slot] = number
    this.#ids.values[slot] = Number(snippet.id)
    this.#idsAheadOfSlots = Number(snippet.id) - slot
    this.#columns.created_at.values[slot] = snippet.created_at
    this.#columns.title.values[slot] = this.#labels.title.use(snippet.title)
    for (const name of groupNames(snippet)) this.#join(name, slot)
  }

  remove(slot: number): void {
    const snippet = this.#slots.at(slot)
    for (const name of groupNames(snippet)) this.#leave(name, slot)
    this.#labels.title.release(snippet.title)
    this.#slots.give(slot)
  }

  /** A slot moves only in the groups that it leaves and joins, and where a field changes that they sort by. */
  replace(slot: number, snippet: Snippet): void {
    const before = this.#slots.at(slot)
    const isRetitled = before.title !== snippet.title
    if (!isRetitled && groupFields.every(field => before[field] === snippet[field])) {
      this.#slots.set(slot, snippet)
      return
    }
    const [left, joined] = [groupNames(before), groupNames(snippet)]
    const kept = left.filter(name => joined.includes(name))
    for (const name of left) if (!kept.includes(name)) this.#leave(name, slot)
    this.#slots.set(slot, snippet)
    if (isRetitled) this.#retitle(slot, kept, before.title)
    for (const name of joined) if (!kept.includes(name)) this.#join(name, slot)
  }

  #retitle(slot: number, groups: readonly string[], before: string): void {
    const indexes = groups.flatMap(name => this.#groups.get(name)?.indexesBy('title') ?? [])
    const places = indexes.map(index => index.placeOf(slot))
    // using the new title may change all labels, so the old one is still in use and the indexes are in order
    const label = this.#labels.title.use(this.#slots.at(slot).title)
    this.#columns.title.values[slot] = label
    this.#labels.title.release(before)
    for (const [i, index] of indexes.entries()) index.settle(slot, places[i] as number)
  }

  page(query: SnippetQuery): Page<Snippet> {
    const { grouped, ranged, key, isReversed } = planOf(query)
    const group = this.#groups.get(groupName(grouped, query.filter))
    if (group === undefined) return { count: 0, items: [] }
    const index = group.index(nameOf(key))
    const matches = this.#range(index, ranged, query.filter)
    const items = index.copy(windowOn(matches, query.window, isReversed)).map(slot => this.#slots.at(slot))
    return { count: matches.to - matches.from, items: isReversed ? items.reverse() : items }
  }

  get #byId(): RankedList {
    return this.#all.index(nameOf([]))
  }

  /** The ranks of the snippets that match a filter, in an index that begins with the fields that are filtered on. */
  #range(index: RankedList, ranged: readonly RangeField[], filter: Filter): Span {
    const [field] = ranged
    if (field === undefined) return { from: 0, to: index.length }
    const label = this.#labels[field].find(filter[field] ?? '')
    // labels are whole numbers
    return label === undefined ? { from: 0, to: 0 } : { from: index.countBelow(label), to: index.countBelow(label + 1) }
  }

  #relabel(field: RangeField, { from, to, labels }: Relabelled): void {
    const index = this.#all.index(nameOf([{ field, direction: 'asc' }]))
    const { values } = this.#columns[field]
    for (const slot of index.copy({ from: index.countBelow(from), to: index.countBelow(to + 1) })) {
      const label = values[slot] as number
      values[slot] = labels.get(label) ?? label
    }
  }

  #join(name: string, slot: number): void {
    const group = this.#groups.get(name) ?? new SnippetGroup(this.#sortings)
    if (group.size === 0) this.#groups.set(name, group)
    group.insert(slot)
  }

  #leave(name: string, slot: number): void {
    const group = this.#groups.get(name)
    if (group === undefined) return
    group.remove(slot)
    if (group === this.#all) return
    if (group.size === 0) this.#groups.delete(name)
    else group.shrink()
  }
}

/** The fields that a group has in common: none of them for all snippets, one, several. */
const groupings = subsets(groupFields)

const groupNames = (snippet: Snippet): readonly string[] => groupings.map(fields => groupName(fields, snippet))

/** A lone surrogate separates the parts, as no text has one. */
const groupName = (fields: readonly GroupField[], texts: Filter): string =>
  fields.map(field => `${field}\ud800${texts[field]}`).join('\ud800')

/** The ranks of a page among those of all matches, counted from their end when the order is the reverse of the index's. */
const windowOn = ({ from, to }: Span, window: Window, isReversed: boolean): Span => {
  const skip = offsetOf(window)
  return isReversed
    ? { from: Math.max(from, to - skip - window.size), to: to - skip }
    : { from: from + skip, to: Math.min(to, from + skip + window.size) }
}
