import {
  type Filter,
  type FilterField,
  filterFields,
  parseSearch,
  type Search,
} from '@snippets/domain/queries/filter.js'
import {
  makeOrdering,
  type Ordering,
  type OrderingField,
  orderingFields,
  type SortKey,
} from '@snippets/domain/queries/ordering.js'
import { makeWindow, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { must, mustExist } from './snippets.js'

const sortKeys: readonly SortKey[] = orderingFields.flatMap(field => [
  { field, direction: 'asc' },
  { field, direction: 'desc' },
])

/** Returns the name of a sort key in a request. */
const nameOf = ({ field, direction }: SortKey): string => (direction === 'desc' ? `-${field}` : field)

/** Creates an ordering from the names in a request, as in `sortedBy('-title', 'created_at')`. */
export const sortedBy = (...names: readonly (OrderingField | `-${OrderingField}`)[]): Ordering =>
  mustExist(makeOrdering(names.flatMap(name => sortKeys.filter(key => nameOf(key) === name))))

export const byId = sortedBy()

/** Creates a query for the first ten matches by id. */
export const firstPage = (filter: Filter = {}): SnippetQuery => ({ filter, ordering: byId, window: makeWindow(1, 10) })

export const aSearch = (text: string): Search => mustExist(must(parseSearch(text)))

/** The shape of a query: its filtered fields and its sort keys. */
export type QueryShape = Readonly<{ filtered: readonly FilterField[]; ordering: Ordering }>

const subsets = <A>(items: readonly A[]): readonly (readonly A[])[] =>
  Array.from({ length: 2 ** items.length }, (_, chosen) => items.filter((_, i) => chosen & (1 << i)))

const orderings = [
  [],
  ...sortKeys.map(key => [key]),
  ...sortKeys.flatMap(first => sortKeys.filter(({ field }) => field !== first.field).map(second => [first, second])),
].map(keys => mustExist(makeOrdering(keys)))

/**
 * Every shape with at most two sort keys. A shape does not sort by its filtered fields, because all matches are equal
 * there.
 */
export const everyShape: readonly QueryShape[] = subsets(filterFields).flatMap(filtered =>
  orderings
    .filter(ordering => !ordering.some(({ field }) => filtered.some(name => name === field)))
    .map(ordering => ({ filtered, ordering })),
)

export const describeShape = ({ filtered, ordering }: QueryShape): string =>
  `${filtered.length > 0 ? `one ${filtered.join(' and ')}` : 'all'} by ${[...ordering.map(nameOf), 'id'].join(', ')}`
