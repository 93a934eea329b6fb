import { idDirectionOf, type Order, type OrderingField, orderingFields } from '@snippets/domain/ordering.js'
import { type FilterField, filterFields } from '@snippets/domain/page.js'

/** The key of an index, or the sort of a query: fields in order of precedence, ascending or descending. */
export type Key = Readonly<Record<string, 1 | -1>>

export type Index = Readonly<{ name: string; key: Key }>

const signOf = { asc: 1, desc: -1 } as const

export const sortKey = (orders: readonly Order[]): Key => ({
  ...Object.fromEntries(orders.map(({ field, direction }) => [field, signOf[direction]])),
  _id: signOf[idDirectionOf(orders)],
})

export const reverse = (key: Key): Key =>
  Object.fromEntries(Object.entries(key).map(([field, sign]) => [field, sign === 1 ? -1 : 1]))

/**
 * Filtered fields first, then the sort: the index holds the matches side by side and in order. An order and its reverse
 * share an index, which MongoDB reads from either end; in it the id ascends.
 */
export const indexFor = (filtered: readonly FilterField[], orders: readonly Order[]): Index => {
  const sort = sortKey(orders)
  const key: Key = {
    ...Object.fromEntries(filtered.map(field => [field, 1])),
    ...(idDirectionOf(orders) === 'asc' ? sort : reverse(sort)),
  }
  return { name: nameOf(textOf(key)), key }
}

/** An index is named after the text of its key, so an index of another key has another name. */
export const nameOf = (key: string): string => `page(${key})`

export const textOf = (key: object): string =>
  Object.entries(key)
    .map(([field, direction]) => `${field}: ${direction}`)
    .join(', ')

const subsets = <A>([first, ...others]: readonly A[]): readonly (readonly A[])[] => {
  if (first === undefined) return [[]]
  const without = subsets(others)
  return [...without, ...without.map(subset => [first, ...subset])]
}

/** No order, or any of the fields in any order, each ascending or descending. */
const orderings = (fields: readonly OrderingField[]): readonly (readonly Order[])[] => [
  [],
  ...fields.flatMap(field =>
    orderings(fields.filter(other => other !== field)).flatMap((others): (readonly Order[])[] => [
      [{ field, direction: 'asc' }, ...others],
      [{ field, direction: 'desc' }, ...others],
    ]),
  ),
]

const everyIndex = (): readonly Index[] =>
  subsets(filterFields).flatMap(filtered => {
    const unfiltered = orderingFields.filter(field => !filtered.some(other => other === field))
    return orderings(unfiltered).map(orders => indexFor(filtered, orders))
  })

/** The index on `_id`, which every collection has. */
const primary = indexFor([], [])

/** One index for every way to filter and order. Some serve several of them. */
export const wantedIndexes: readonly Index[] = [
  ...new Map(everyIndex().map(index => [index.name, index])).values(),
].filter(({ name }) => name !== primary.name)
