import {
  type FilterField,
  filterFields,
  type Order,
  type OrderingField,
  orderingFields,
} from '@snippets/domain/page.js'

/** The key of an index, or the sort of a query: fields in order of precedence, ascending or descending. */
export type Key = Readonly<Record<string, 1 | -1>>

export type Index = Readonly<{ name: string; key: Key }>

/** Ascending id breaks ties. */
export const sortKey = (orders: readonly Order[]): Key => ({
  ...Object.fromEntries(orders.map(({ field, direction }) => [field, direction === 'asc' ? 1 : -1])),
  _id: 1,
})

/** Filtered fields first, then the sort: the index holds the matches side by side and in order. */
export const indexFor = (filtered: readonly FilterField[], orders: readonly Order[]): Index => {
  const key: Key = { ...Object.fromEntries(filtered.map(field => [field, 1])), ...sortKey(orders) }
  return { name: `page(${textOf(key)})`, key }
}

/** Indexes are named after their keys, so an index of another key has another name. */
export const isPageIndex = (name: string): boolean => /^page\(.*\)$/.test(name)

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
