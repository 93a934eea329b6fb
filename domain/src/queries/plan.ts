import { type FilterField, filteredFields, filterFields } from './filter.js'
import { idDirectionOf, type OrderingField, orderingFields, reversed, type SortKey } from './ordering.js'
import { type SnippetQuery, sortKeysOf } from './page.js'

/**
 * The sort keys of an index: first the filtered fields, then the fields of the ordering. The matches of the filtered
 * fields are one contiguous range of the index, in order. Every index ends with the ascending id, which a plan omits. A
 * query and its reverse share a plan and read its index in opposite directions.
 */
export type Plan = readonly SortKey<FilterField | OrderingField>[]

type Query = Pick<SnippetQuery, 'filter' | 'ordering'>

export const planOf = (query: Query): Readonly<{ plan: Plan; isReversed: boolean }> => {
  const keys = sortKeysOf(query)
  return { plan: buildPlan(filteredFields(query.filter), keys), isReversed: idDirectionOf(keys) === 'desc' }
}

const buildPlan = (filtered: readonly FilterField[], keys: readonly SortKey[]): Plan => [
  ...filtered.map(field => ({ field, direction: 'asc' }) as const),
  ...(idDirectionOf(keys) === 'asc' ? keys : reversed(keys)),
]

export const planName = (plan: Plan): string =>
  plan.map(({ field, direction }) => `${direction === 'asc' ? '' : '-'}${field}`).join(',')

/** Returns every plan for orderings by at most `maxFields` fields, except the plan by id alone. */
const plansUpTo = (maxFields: number): readonly Plan[] => {
  const plans = subsets(filterFields).flatMap(filtered => {
    const others = orderingFields.filter(field => !filtered.some(other => other === field))
    return orderings(others, maxFields).map(keys => buildPlan(filtered, keys))
  })
  return [...new Map(plans.filter(plan => plan.length > 0).map(plan => [planName(plan), plan])).values()]
}

const subsets = <A>([first, ...others]: readonly A[]): readonly (readonly A[])[] => {
  if (first === undefined) return [[]]
  const without = subsets(others)
  return [...without, ...without.map(subset => [first, ...subset])]
}

const orderings = (fields: readonly OrderingField[], maxFields: number): readonly (readonly SortKey[])[] => {
  if (maxFields === 0) return [[]]
  const longer = fields.flatMap(field =>
    orderings(
      fields.filter(other => other !== field),
      maxFields - 1,
    ).flatMap((keys): SortKey[][] => [
      [{ field, direction: 'asc' }, ...keys],
      [{ field, direction: 'desc' }, ...keys],
    ]),
  )
  return [[], ...longer]
}

/** The plans with an index in a database. Each index slows down every write. The database sorts for all other plans. */
export const indexedPlans: readonly Plan[] = plansUpTo(2)
