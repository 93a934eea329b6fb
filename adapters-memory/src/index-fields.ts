import {
  type FilterField,
  filterFields,
  idDirectionOf,
  type Order,
  type OrderingField,
  orderingFields,
} from '@snippets/domain/page.js'

/** A field that an index is sorted by. */
export type IndexField = FilterField | OrderingField

/** What an index is sorted by: fields that a query filters by, then sort keys, then ascending id. */
export type IndexKey = readonly Readonly<{ field: IndexField; direction: Order['direction'] }>[]

/** The index for a query, and whether it is read from its end: an order and its reverse share an index. */
export const indexFor = (
  filtered: readonly FilterField[],
  orders: readonly Order[],
): Readonly<{ key: IndexKey; isReversed: boolean }> => {
  const isReversed = idDirectionOf(orders) === 'desc'
  const ascending = filtered.map(field => ({ field, direction: 'asc' as const }))
  return { key: [...ascending, ...(isReversed ? orders.map(reverse) : orders)], isReversed }
}

const reverse = ({ field, direction }: Order): Order => ({ field, direction: direction === 'asc' ? 'desc' : 'asc' })

export const nameOf = (key: IndexKey): string =>
  key.map(({ field, direction }) => (direction === 'desc' ? `-${field}` : field)).join()

/** The keys of the indexes that serve every query. */
export const everyIndexKey = (): readonly IndexKey[] => {
  const keys = subsets(filterFields).flatMap(filtered =>
    orderings(orderingFields.filter(field => !filtered.some(other => other === field))).map(
      orders => indexFor(filtered, orders).key,
    ),
  )
  return [...new Map(keys.map(key => [nameOf(key), key])).values()]
}

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
