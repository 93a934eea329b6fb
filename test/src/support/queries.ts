import { type Filter, type FilterField, filterFields } from '@snippets/domain/queries/filter.js'
import {
  makeOrdering,
  type Ordering,
  type OrderingField,
  orderingFields,
  type SortKey,
} from '@snippets/domain/queries/ordering.js'
import { makeWindow, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { parseSearch, type Search } from '@snippets/domain/queries/search.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { must } from './snippets.js'

/** The names of all filters. */
export const filterNames = [...filterFields, 'search'] as const satisfies readonly (keyof Filter)[]

const anOrdering = (sortKeys: readonly SortKey[]): Ordering => {
  const ordering = makeOrdering(sortKeys)
  if (isSome(ordering)) return ordering.value
  throw new Error(`${JSON.stringify(sortKeys)} is not a valid ordering`)
}

/** Creates an ordering from the names in a request, as in `sortedBy('-title', 'created_at')`. */
export const sortedBy = (...keys: readonly (OrderingField | `-${OrderingField}`)[]): Ordering =>
  anOrdering(
    keys.map(key => {
      const field = orderingFields.find(name => key.endsWith(name))
      if (field === undefined) throw new Error(`${key} is not a sort key`)
      return { field, direction: key.startsWith('-') ? 'desc' : 'asc' }
    }),
  )

export const byId = sortedBy()

/** Creates a query for the first ten matches by id. */
export const firstPage = (filter: Filter = {}): SnippetQuery => ({ filter, ordering: byId, window: makeWindow(1, 10) })

export const aSearch = (text: string): Search => {
  const search = must(parseSearch(text))
  if (isSome(search)) return search.value
  throw new Error(`${JSON.stringify(text)} names no term`)
}

/** The shape of a query: its filtered fields and its sort keys. */
export type QueryShape = Readonly<{ filtered: readonly FilterField[]; ordering: Ordering }>

const subsets = <A>(items: readonly A[]): readonly (readonly A[])[] =>
  Array.from({ length: 2 ** items.length }, (_, chosen) => items.filter((_, i) => chosen & (1 << i)))

const sortKeys = orderingFields.flatMap(field => [
  { field, direction: 'asc' } as const,
  { field, direction: 'desc' } as const,
])

const orderings = [
  [],
  ...sortKeys.map(key => [key]),
  ...sortKeys.flatMap(first => sortKeys.filter(({ field }) => field !== first.field).map(second => [first, second])),
].map(anOrdering)

/** Every shape with at most two sort keys. A shape does not sort by its filtered fields, because all matches are equal there. */
export const everyShape: readonly QueryShape[] = subsets(filterFields).flatMap(filtered =>
  orderings
    .filter(ordering => !ordering.some(({ field }) => filtered.some(name => name === field)))
    .map(ordering => ({ filtered, ordering })),
)

export const describeShape = ({ filtered, ordering }: QueryShape): string => {
  const keys = ordering.map(({ field, direction }) => (direction === 'desc' ? `-${field}` : field))
  return `${filtered.length > 0 ? `one ${filtered.join(' and ')}` : 'all'} by ${[...keys, 'id'].join(', ')}`
}
