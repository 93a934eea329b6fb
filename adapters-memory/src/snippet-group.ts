import type { OrderingField } from '@snippets/domain/ordering.js'
import { everyIndexKey, type IndexKey, nameOf } from './index-keys.js'
import { RankedList, type Sorting } from './ranked-list.js'
import type { Column } from './slots.js'
import { sortRuns } from './sorted-slots.js'

/** What snippets are sorted by: a column for each field, and one for their ids, as far as a number holds these. */
export type SortColumns = Readonly<Record<OrderingField, Column>> & Readonly<{ id: Column }>

/** Large ids may be the same number, so where those are equal this compares the ids themselves. */
type CompareIds = (a: number, b: number) => number

/** How each index of a group is sorted, by its name. */
export type Sortings = ReadonlyMap<string, Sorting & Readonly<{ key: IndexKey }>>

/** Whether no snippet is older than one before it: the clock was never set back. */
export type Times = { rise: boolean }

/**
 * An order by several fields differs from that by the first one only among equals, and is seldom asked for. Among times that
 * rise the order by time is that by id: an index fewer is a third of a deletion and a tenth of a creation in the store.
 */
export const isAlwaysKept = (key: IndexKey, times: Times): boolean =>
  key.length === 0 || (key.length === 1 && !(times.rise && key[0]?.field === 'created_at'))

export const sortingsBy = (columns: SortColumns, compareIds: CompareIds): Sortings =>
  new Map(everyIndexKey().map(key => [nameOf(key), { ...sortingBy(key, columns, compareIds), key }]))

/** A group gets indexes when it grows past `many` snippets and loses them below `few`: a few are sorted as fast. */
const many = 32
const few = 12

const noIndexesBy = (): Readonly<Record<OrderingField, RankedList[]>> => ({ created_at: [], title: [] })

/**
 * Snippets with something in common, by their slots, in every order that a page can have. The index of an order by several
 * fields is made when a page first needs it, and kept up to date from then on: with all seven from the start, creating,
 * deleting and giving a new title took twice as long or longer. Making one takes 0.1 to 0.3 s for a million snippets.
 */
export class SnippetGroup {
  readonly #sortings: Sortings
  readonly #times: Times
  /** All slots, in any order, until there are indexes. */
  #slots: number[] = []
  #indexes: Map<string, RankedList> | undefined
  #indexesBy = noIndexesBy()

  constructor(sortings: Sortings, times: Times) {
    this.#sortings = sortings
    this.#times = times
  }

  get size(): number {
    return this.#indexes?.get(byId)?.length ?? this.#slots.length
  }

  index(name: string): RankedList {
    const kept = name === byTime && this.#times.rise ? byId : name
    if (this.#indexes === undefined) return this.#sorted(kept)
    return this.#indexes.get(kept) ?? this.#add(kept, this.#combined(kept))
  }

  /** The indexes that are sorted by this field, among others. */
  indexesBy(field: OrderingField): readonly RankedList[] {
    return this.#indexesBy[field]
  }

  insert(slot: number): void {
    if (this.#indexes !== undefined) for (const index of this.#indexes.values()) index.insert(slot)
    else if (this.#slots.push(slot) > many) this.makeIndexes()
  }

  remove(slot: number): void {
    if (this.#indexes === undefined) this.#slots.splice(this.#slots.indexOf(slot), 1)
    else for (const index of this.#indexes.values()) index.remove(slot)
  }

  /** Replaces all slots of one index by these, which must be sorted. It must be done for every index that is always kept. */
  fill(name: string, sorted: Uint32Array): void {
    if (this.#indexes === undefined && sorted.length <= many) this.#slots = [...sorted]
    else (this.#indexes?.get(name) ?? this.#add(name, new RankedList(this.#sortingOf(name)))).fill(sorted)
  }

  makeIndexes(): void {
    for (const [name, { key }] of this.#sortings)
      if (isAlwaysKept(key, this.#times)) this.#add(name, this.#sorted(name))
    this.#slots = []
  }

  /** Makes an index by time of that by id, before the first slot comes that is older than one before it. */
  splitTimes(): void {
    if (this.#indexes === undefined) return
    this.#add(byTime, new RankedList(this.#sortingOf(byTime)).fill(this.index(byId).all()))
  }

  /** Keeps no indexes for a few snippets. */
  shrink(): void {
    if (this.#indexes === undefined || this.size >= few) return
    this.#slots = this.index(byId).copy({ from: 0, to: few })
    this.#indexes = undefined
    this.#indexesBy = noIndexesBy()
  }

  #add(name: string, index: RankedList): RankedList {
    this.#indexes ??= new Map()
    this.#indexes.set(name, index)
    for (const { field } of this.#sortingOf(name).key) this.#indexesBy[field].push(index)
    return index
  }

  /** The index by the first field has the snippets in order but for runs of equals. */
  #combined(name: string): RankedList {
    const sorting = this.#sortingOf(name)
    const slots = this.index(nameOf(sorting.key.slice(0, 1))).all()
    sortRuns(slots, sorting)
    return new RankedList(sorting).fill(slots)
  }

  #sorted(name: string): RankedList {
    const sorting = this.#sortingOf(name)
    const { values } = sorting.column
    const order = (a: number, b: number): number =>
      (values[a] as number) - (values[b] as number) || sorting.compare(a, b)
    return new RankedList(sorting).fill(this.#slots.toSorted(order))
  }

  #sortingOf(name: string): Sorting & Readonly<{ key: IndexKey }> {
    const sorting = this.#sortings.get(name)
    if (sorting === undefined) throw new Error(`there is no index by ${name}`)
    return sorting
  }
}

const byId = nameOf([])
const byTime = nameOf([{ field: 'created_at', direction: 'asc' }])

const sortingBy = (key: IndexKey, { id, ...columns }: SortColumns, compareIds: CompareIds): Sorting => {
  const sorted = [...key.map(({ field }) => columns[field]), id]
  const signs = key.map(({ direction }) => (direction === 'asc' ? 1 : -1))
  // the id has the direction of the last field
  signs.push(signs.at(-1) ?? 1)
  // most comparisons are of indexes by one field
  if (key.length <= 1)
    return {
      column: sorted[0] as Column,
      compare: (a, b) => (id.values[a] as number) - (id.values[b] as number) || compareIds(a, b),
    }
  return {
    column: sorted[0] as Column,
    compare: (a, b) => {
      for (let i = 1; i < sorted.length; i++) {
        const { values } = sorted[i] as Column
        const order = (values[a] as number) - (values[b] as number)
        if (order !== 0) return order * (signs[i] as number)
      }
      return compareIds(a, b) * (signs.at(-1) as number)
    },
  }
}
