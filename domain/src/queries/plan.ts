import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { type Filter, filteredFields, filterFields } from './filter.js'
import { idDirectionOf, makeOrdering, orderingFields, reversed, type SortKey } from './ordering.js'
import { type Listing, sortKeysOf } from './page.js'
import type { SortField } from './position.js'

/**
 * The sort keys of an index: first the filtered fields, then the fields of the ordering. The matches of the filtered
 * fields are one contiguous range of the index, in order. The last key of every index is the ascending id, which a plan
 * does not list. A query and its reverse share a plan and read its index in opposite directions.
 */
export type Plan = readonly SortKey<SortField>[]

export const planOf = ({ filter, ordering }: Listing): Readonly<{ plan: Plan; isReversed: boolean }> => {
  const filtered = filteredFields(filter).map(field => ({ field, direction: 'asc' }) as const)
  const keys = sortKeysOf({ filter, ordering })
  const isReversed = idDirectionOf(keys) === 'desc'
  return { plan: [...filtered, ...(isReversed ? reversed(keys) : keys)], isReversed }
}

export const planName = (plan: Plan): string =>
  plan.map(({ field, direction }) => `${direction === 'asc' ? '' : '-'}${field}`).join(',')

/** A filter for each set of filtered fields. */
const filters = filterFields.reduce<readonly Filter[]>(
  (others, field) => others.concat(others.map(filter => ({ ...filter, [field]: '' }))),
  [{}],
)

const sortKeys = orderingFields.flatMap((field): readonly SortKey[] => [
  { field, direction: 'asc' },
  { field, direction: 'desc' },
])

/** The orderings by at most two fields. */
const orderings = RA.filterMap(makeOrdering)([
  [],
  ...sortKeys.map(key => [key]),
  ...sortKeys.flatMap(first => sortKeys.map(second => [first, second])),
])

const plans = filters.flatMap(filter => orderings.map(ordering => planOf({ filter, ordering }).plan))

/**
 * The plan of every query with an ordering by at most two fields, except the plan by id alone. A storage serves
 * these from an index, and MAY sort the matches for other plans.
 */
export const indexedPlans: readonly Plan[] = [
  ...new Map(plans.filter(plan => plan.length > 0).map(plan => [planName(plan), plan])).values(),
]
