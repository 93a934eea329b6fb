import type { Corrupt } from '@snippets/domain/errors.js'
import type { Order } from '@snippets/domain/ordering.js'
import { effectiveOrders, type Filter, filteredFields, type Page, type SnippetQuery } from '@snippets/domain/page.js'
import type { Seek } from '@snippets/domain/position.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import type * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { readPage, readStretch, type Stretch } from '../documents/page-reader.js'
import type { SharedCounts } from '../documents/shared-counts.js'
import { indexFor, reverse, sortKey } from './page-indexes.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'
import type { StandingIndexes } from './standing-indexes.js'

type Sources = Readonly<{
  snippets: Collection<SnippetDocument>
  counts: SharedCounts<Filter>
  standing: StandingIndexes
}>

export const readSnippets = (
  query: SnippetQuery,
  { snippets, counts, standing }: Sources,
): Promise<E.Either<Corrupt, Page<Snippet>>> => {
  const { filter, window, seek } = query
  const orders = effectiveOrders(query)
  const request = { filter, window, decode: decodeSnippet }
  return standing.reading(indexFor(filteredFields(filter), orders), hint =>
    seek === undefined
      ? readPage(snippets, counts, { ...request, hint, sort: sortKey(orders) })
      : readStretch(snippets, counts, { ...request, hint }, stretchFrom(filter, orders, seek)),
  )
}

/**
 * The matches on one side of a position. Each alternative is a range of the index that has the order: what is equal to the
 * position in the first sort keys and differs in the next one. MongoDB merges such ranges and sorts nothing
 * (`canProvideSortWithMergeSort` in its src/mongo/db/query/planner_access.cpp).
 */
const stretchFrom = (filter: Filter, orders: readonly Order[], { side, position }: Seek): Stretch<SnippetDocument> => {
  const isBackwards = side === 'before'
  const sort = isBackwards ? reverse(sortKey(orders)) : sortKey(orders)
  const { id, created_at = 0, title } = position
  const values: Readonly<Record<string, unknown>> = { created_at: new Date(created_at), title, _id: id }
  const keys = Object.entries(sort)
  const alternatives = keys.map(([field, sign], i) => ({
    ...filter,
    ...Object.fromEntries(keys.slice(0, i).map(([equal]) => [equal, values[equal]])),
    [field]: { [sign === 1 ? '$gt' : '$lt']: values[field] },
  }))
  return { matching: { $or: alternatives }, sort, isBackwards }
}
