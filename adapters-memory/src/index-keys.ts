import { type Order, type OrderingField, orderingFields } from '@snippets/domain/ordering.js'
import {
  effectiveOrders,
  type FilterField,
  filteredFields,
  filterFields,
  type SnippetQuery,
} from '@snippets/domain/page.js'

/** What an index is sorted by, the first field ascending. The id comes last, in the direction of the last field. */
export type IndexKey = readonly Order[]

/** Snippets that are equal in these fields have indexes of their own. */
export type GroupField = Exclude<FilterField, OrderingField>

/** A filter by these fields takes a range of an index that begins with them. */
export type RangeField = FilterField & OrderingField

const isOrderable = (field: FilterField): field is RangeField => orderingFields.some(other => other === field)
const rangeFields = filterFields.filter(isOrderable)
export const groupFields = filterFields.filter((field): field is GroupField => !isOrderable(field))

/** How a query is answered. An order and its reverse share an index, which is then read from its end. */
export type Plan = Readonly<{
  grouped: readonly GroupField[]
  ranged: readonly RangeField[]
  key: IndexKey
  isReversed: boolean
}>

export const planOf = (query: Pick<SnippetQuery, 'filter' | 'ordering'>): Plan => {
  const filtered = filteredFields(query.filter)
  const orders = effectiveOrders(query)
  const isReversed = orders[0]?.direction === 'desc'
  const ranged = filtered.filter(isOrderable)
  return {
    grouped: groupFields.filter(field => filtered.includes(field)),
    ranged,
    key: [...ranged.map(ascending), ...(isReversed ? orders.map(reverse) : orders)],
    isReversed,
  }
}

const ascending = (field: OrderingField): Order => ({ field, direction: 'asc' })
const reverse = ({ field, direction }: Order): Order => ({ field, direction: direction === 'asc' ? 'desc' : 'asc' })

export const nameOf = (key: IndexKey): string => {
  let name = ''
  for (const { field, direction } of key) name += direction === 'desc' ? ` -${field}` : ` ${field}`
  return name
}

/** The keys of the indexes of a group, which serve every query. */
export const everyIndexKey = (): readonly IndexKey[] => {
  const keys = subsets(rangeFields).flatMap(ranged =>
    orderings(orderingFields.filter(field => !ranged.some(other => other === field)))
      .filter(([first]) => first?.direction !== 'desc')
      .map(orders => [...ranged.map(ascending), ...orders]),
  )
  return [...new Map(keys.map(key => [nameOf(key), key])).values()]
}

export const subsets = <A>([first, ...others]: readonly A[]): readonly (readonly A[])[] => {
  if (first === undefined) return [[]]
  const without = subsets(others)
  return [...without, ...without.map(subset => [first, ...subset])]
}

/** No order, or any of the fields in any order, each ascending or descending. */
const orderings = (fields: readonly OrderingField[]): readonly (readonly Order[])[] => [
  [],
  ...fields.flatMap(field =>
    orderings(fields.filter(other => other !== field)).flatMap(others => [
      [ascending(field), ...others],
      [reverse(ascending(field)), ...others],
    ]),
  ),
]
