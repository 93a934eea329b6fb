import type { Id } from '@snippets/domain/id.js'
import type { OrderingField } from '@snippets/domain/ordering.js'
import type { Filter, Page, SnippetQuery } from '@snippets/domain/page.js'
import { pageByRank } from '@snippets/domain/page-by-rank.js'
import { compareBy, type Seek } from '@snippets/domain/position.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { type GroupField, groupFields, nameOf, type Plan, planOf, type RangeField, subsets } from './index-keys.js'
import type { RankedList, Span } from './ranked-list.js'
import { noColumn, Slots } from './slots.js'
import { isAlwaysKept, SnippetGroup, type SortColumns, sortingsBy, type Times } from './snippet-group.js'
import { type Ranks, ranksOf, slotsInOrder, sortedByRank } from './sorted-slots.js'
import { type Relabelled, TextLabels } from './text-labels.js'

/** Groups that have every slot in one of them. */
type Partition = Readonly<{ groups: readonly Readonly<{ group: SnippetGroup; size: number }>[]; members: Ranks }>

/** Numbers below 2^63 are at most 2^10 apart, and the ids half-way to the next on either side become the same number. */
const maxWithSameNumber = 2 ** 10 + 1

/** Snippets in their slots, in a group of all and in groups of those that are equal in fields that nothing sorts by. */
export class SnippetIndexes {
  readonly #slots = new Slots()
  readonly #columns: SortColumns = {
    id: this.#slots.addColumn(),
    created_at: noColumn(),
    title: this.#slots.addColumn(),
  }
  #idsAheadOfSlots = 0
  readonly #sortings = sortingsBy(this.#columns, (a, b) => (a === b ? 0 : this.at(a).id < this.at(b).id ? -1 : 1))
  readonly #times: Times = { rise: true }
  /** Nothing is sorted by time itself while times rise and no order by several fields was asked for. */
  #hasTimes = false
  #latest = Number.NEGATIVE_INFINITY
  readonly #all = new SnippetGroup(this.#sortings, this.#times)
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
    if (this.#columns.id.values[guess] === number && this.#slots.at(guess)?.id === id) return guess
    const slot = this.#byId.firstFrom(number)
    if (slot === undefined || this.at(slot).id === id) return slot
    if (this.#columns.id.values[slot] !== number) return undefined
    const from = this.#byId.countBelow(number)
    return this.#byId.copy({ from, to: from + maxWithSameNumber }).find(other => this.at(other).id === id)
  }

  at(slot: number): Snippet {
    return this.#slots.at(slot)
  }

  /** The next snippets by id. That with this id may have been deleted. */
  after(id: bigint, size: number): readonly Snippet[] {
    const from = this.#byId.countBefore(slot => this.at(slot).id <= id)
    return this.#read(this.#byId, { from, to: from + size })
  }

  insert(snippet: Snippet): void {
    const slot = this.#slots.take(snippet)
    this.#columns.id.values[slot] = Number(snippet.id)
    this.#idsAheadOfSlots = Number(snippet.id) - slot
    this.#noteTime(slot, snippet)
    this.#useTitle(slot, snippet)
    for (const name of groupNames(snippet)) this.#join(name, slot)
  }

  /** Gives a snippet a slot, but no place in an index. */
  load(snippet: Snippet): void {
    const slot = this.#slots.take(snippet)
    this.#columns.id.values[slot] = Number(snippet.id)
    this.#noteTime(slot, snippet)
  }

  /** Makes the indexes of the slots that were loaded, which must be all, by ascending id. */
  indexLoaded(): void {
    const { length } = this.#slots
    const titles = Array.from({ length }, (_, slot) => this.at(slot).title)
    const { labels, ranks: title, kept } = this.#labels.title.fill(titles)
    this.#columns.title.values.set(labels)
    for (const [slot, rank] of title.of.entries()) share(this.at(slot), kept[rank] as string)
    const ranksBy = (field: OrderingField) => (field === 'title' ? title : ranksOf(this.#columns[field], length))
    const byId = Uint32Array.from({ length }, (_, slot) => slot)
    const partitions = groupings.map(fields => this.#partition(fields, length))
    for (const [name, { key }] of this.#sortings) {
      if (!isAlwaysKept(key, this.#times)) continue
      const slots = slotsInOrder(key, ranksBy, byId)
      for (const { groups, members } of partitions) {
        const sorted = sortedByRank(slots, members)
        let from = 0
        for (const { group, size } of groups) {
          group.fill(name, sorted.subarray(from, from + size))
          from += size
        }
      }
    }
  }

  /** The groups by these fields, and to which of them each slot belongs. */
  #partition(fields: readonly GroupField[], length: number): Partition {
    const numbers = new Map<string, number>()
    const groups: { group: SnippetGroup; size: number }[] = []
    const of = new Uint32Array(length)
    for (let slot = 0; slot < length; slot++) {
      const name = groupName(fields, this.at(slot))
      const number = numbers.get(name) ?? groups.length
      if (number === groups.length) {
        const group = this.#groups.get(name) ?? new SnippetGroup(this.#sortings, this.#times)
        this.#groups.set(name, group)
        groups.push({ group, size: 0 })
        numbers.set(name, number)
      }
      of[slot] = number
      ;(groups[number] as { size: number }).size++
    }
    return { groups, members: { of, count: groups.length } }
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
    if (!isRetitled) share(snippet, before.title)
    if (groupFields.every(field => before[field] === snippet[field])) {
      this.#slots.set(slot, snippet)
      if (isRetitled) this.#retitle(slot, groupNames(snippet), before.title)
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
    const indexes: RankedList[] = []
    const places: number[] = []
    for (const name of groups)
      for (const index of this.#groups.get(name)?.indexesBy('title') ?? [])
        places[indexes.push(index) - 1] = index.placeOf(slot)
    // using the new title may change all labels, so the old one is still in use and the indexes are in order
    this.#useTitle(slot, this.#slots.at(slot))
    this.#labels.title.release(before)
    for (let i = 0; i < places.length; i++) indexes[i]?.settle(slot, places[i] as number)
  }

  #useTitle(slot: number, snippet: Snippet): void {
    const { label, kept } = this.#labels.title.use(snippet.title)
    this.#columns.title.values[slot] = label
    share(snippet, kept)
  }

  page(query: SnippetQuery): Page<Snippet> {
    const plan = planOf(query)
    const group = this.#groups.get(groupName(plan.grouped, query.filter))
    if (group === undefined) return pageByRank<Snippet>(query, { count: 0, rankOf: () => 0, read: () => [] })
    if (plan.key.length > 1) this.#needTimes()
    const index = group.index(nameOf(plan.key))
    const { from, to } = this.#range(index, plan.ranged, query.filter)
    // ranks count from the end when the order is the reverse of the index's
    return pageByRank(query, {
      count: to - from,
      rankOf: seek => {
        const rank = this.#rankIn(index, plan, { ...seek, position: { ...seek.position, ...query.filter } })
        return plan.isReversed ? to - rank : rank - from
      },
      read: (first, end) => {
        if (!plan.isReversed) return this.#read(index, { from: from + first, to: from + end })
        return this.#read(index, { from: to - end, to: to - first }).reverse()
      },
    })
  }

  get #byId(): RankedList {
    return this.#all.index(nameOf([]))
  }

  #read(index: RankedList, span: Span): Snippet[] {
    return index.copy(span).map(slot => this.#slots.at(slot))
  }

  /** How many snippets of an index come before a position, the snippet there among them where it is on the near side. */
  #rankIn(index: RankedList, { key, isReversed }: Plan, { side, position }: Seek): number {
    const compare = compareBy(key)
    const isIncluded = (side === 'after') !== isReversed
    return index.countBefore(slot => {
      const order = compare(this.#slots.at(slot), position)
      return isIncluded ? order <= 0 : order < 0
    })
  }

  /** The ranks of the snippets that match a filter, in an index that begins with the fields that are filtered on. */
  #range(index: RankedList, ranged: readonly RangeField[], filter: Filter): Span {
    const [field] = ranged
    if (field === undefined) return { from: 0, to: index.length }
    const label = this.#labels[field].find(filter[field] ?? '')
    // labels are whole numbers
    return label === undefined ? { from: 0, to: 0 } : { from: index.countBelow(label), to: index.countBelow(label + 1) }
  }

  #noteTime(slot: number, { created_at }: Snippet): void {
    if (this.#hasTimes) this.#columns.created_at.values[slot] = created_at
    if (created_at >= this.#latest) this.#latest = created_at
    else if (this.#times.rise) {
      this.#times.rise = false
      this.#needTimes()
      for (const group of this.#groups.values()) group.splitTimes()
    }
  }

  #needTimes(): void {
    if (this.#hasTimes) return
    this.#hasTimes = true
    this.#slots.begin(this.#columns.created_at, ({ created_at }) => created_at)
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
    const group = this.#groups.get(name) ?? new SnippetGroup(this.#sortings, this.#times)
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

/** The same text, so nobody can tell, but memory for it only once where others have this title. */
const share = (snippet: { title: string }, title: string): void => {
  snippet.title = title
}

/** The fields that a group has in common: none of them for all snippets, one, several. */
const groupings = subsets(groupFields)

const groupNames = (snippet: Snippet): readonly string[] => groupings.map(fields => groupName(fields, snippet))

/** A lone surrogate separates the parts, as no text has one. */
const groupName = (fields: readonly GroupField[], texts: Filter): string => {
  let name = ''
  for (const field of fields) name += `${field}\ud800${texts[field]}\ud800`
  return name
}
