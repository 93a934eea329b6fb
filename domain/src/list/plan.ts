import { idDirectionOf, type Order, type OrderingField, orderingFields, reversed, type SortKey } from './ordering.js'
import { effectiveOrders, type FilterField, filteredFields, filterFields, type SnippetQuery } from './page.js'

/**
 * The sort keys of an index that holds the matches of a query side by side and in order: first the filtered fields, then those
 * that the query orders by, and last the id, which ascends. A query and its reverse share one, read from either end.
 */
export type Plan = readonly SortKey<FilterField | OrderingField>[]

type Query = Pick<SnippetQuery, 'filter' | 'ordering'>

export const planOf = (query: Query): Readonly<{ plan: Plan; isReversed: boolean }> => {
  const orders = effectiveOrders(query)
  return { plan: planFor(filteredFields(query.filter), orders), isReversed: idDirectionOf(orders) === 'desc' }
}

const planFor = (filtered: readonly FilterField[], orders: readonly Order[]): Plan => [
  ...filtered.map(field => ({ field, direction: 'asc' }) as const),
  ...(idDirectionOf(orders) === 'asc' ? orders : reversed(orders)),
]

/** Plans are the same when their names are. */
export const nameOf = (plan: Plan): string =>
  plan.map(({ field, direction }) => `${direction === 'asc' ? '' : '-'}${field}`).join(',')

/** Every plan for orderings by at most so many fields, without the one by id alone. */
const plansUpTo = (most: number): readonly Plan[] => {
  const plans = subsets(filterFields).flatMap(filtered => {
    const others = orderingFields.filter(field => !filtered.some(other => other === field))
    return orderings(others, most).map(orders => planFor(filtered, orders))
  })
  return [...new Map(plans.filter(plan => plan.length > 0).map(plan => [nameOf(plan), plan])).values()]
}

const subsets = <A>([first, ...others]: readonly A[]): readonly (readonly A[])[] => {
  if (first === undefined) return [[]]
  const without = subsets(others)
  return [...without, ...without.map(subset => [first, ...subset])]
}

const orderings = (fields: readonly OrderingField[], most: number): readonly (readonly Order[])[] => {
  if (most === 0) return [[]]
  const longer = fields.flatMap(field =>
    orderings(
      fields.filter(other => other !== field),
      most - 1,
    ).flatMap((orders): Order[][] => [
      [{ field, direction: 'asc' }, ...orders],
      [{ field, direction: 'desc' }, ...orders],
    ]),
  )
  return [[], ...longer]
}

/** The plans that a database has an index for, each of which costs every write. It sorts by itself for all others. */
export const indexedPlans: readonly Plan[] = plansUpTo(2)
