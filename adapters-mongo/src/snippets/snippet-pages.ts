import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { type Direction, idDirectionOf, type SortKey } from '@snippets/domain/list/ordering.js'
import { effectiveOrders, needsScan, type Page, type SnippetQuery } from '@snippets/domain/list/page.js'
import type { Position } from '@snippets/domain/list/position.js'
import { type Search, searchFields } from '@snippets/domain/list/search.js'
import { type Corrupt, type SearchTooBroad, searchTooBroad } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, Filter } from 'mongodb'
import { readBeside, readPage, type Sort } from '../documents/read-page.js'
import { isOutOfTime } from '../documents/refusals.js'
import { decodeSnippet, type SnippetDocument, storedValue } from './snippet-document.js'

const signOf = { asc: 1, desc: -1 } as const

/** Fields in order of precedence, and last the id. */
export const sortBy = (keys: readonly SortKey[], idDirection: Direction): Sort => ({
  ...Object.fromEntries(keys.map(({ field, direction }) => [field, signOf[direction]])),
  _id: signOf[idDirection],
})

export const readSnippets = async (
  collection: Collection<SnippetDocument>,
  query: SnippetQuery,
): Promise<E.Either<Corrupt | SearchTooBroad, Page<Snippet>>> => {
  try {
    return await readInTime(collection, query)
  } catch (error) {
    if (!needsScan(query.filter) || !isOutOfTime(error)) throw error
    return E.left(searchTooBroad)
  }
}

const readInTime = (
  collection: Collection<SnippetDocument>,
  query: SnippetQuery,
): Promise<E.Either<Corrupt, Page<Snippet>>> => {
  const {
    window,
    seek,
    filter: { search, ...texts },
  } = query
  const filter = { ...texts, ...(search && holding(search)) }
  const orders = effectiveOrders(query)
  const request = { collection, filter, window, decode: decodeSnippet }
  const forwards = sortBy(orders, idDirectionOf(orders))
  if (seek === undefined) return readPage({ ...request, sort: forwards })
  const { side, position } = seek
  const sort = side === 'after' ? forwards : backwards(forwards)
  return readBeside({ ...request, sort, side, nearest: beyond(position, filter, sort) })
}

/** The database tests the rows of the index that has the filter and the order, one after another: no index holds terms. */
export const holding = (search: Search): Filter<SnippetDocument> => ({
  $and: search.map(term => ({
    $or: searchFields.map(field => ({ [field]: { $regex: patternOf(term), $options: 'i' } })),
  })),
})

/** A pattern in the syntax of PCRE2 that finds the term and nothing else. */
const patternOf = (term: string): string => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replaceAll('\0', '\\x00')

const backwards = (sort: Sort): Sort =>
  Object.fromEntries(Object.entries(sort).map(([field, sign]) => [field, sign === 1 ? -1 : 1]))

/**
 * The matches that come after a position in a sort. Each alternative is a range of the index that has the order: what is
 * equal to the position in the first sort keys and differs in the next one. MongoDB merges such ranges and sorts nothing
 * (https://www.mongodb.com/docs/manual/reference/explain-results/, SORT_MERGE).
 */
const beyond = (
  { id, ...position }: Position,
  filter: Filter<SnippetDocument>,
  sort: Sort,
): Filter<SnippetDocument> => {
  const values: Readonly<Record<string, string | number | bigint | undefined>> = { ...position, _id: id }
  const keys = Object.entries(sort).map(([field, sign]) => ({ field, sign, value: storedValue(field, values[field]) }))
  const alternatives = keys.map(({ field, sign, value }, i) => ({
    ...filter,
    ...Object.fromEntries(keys.slice(0, i).map(equal => [equal.field, equal.value])),
    [field]: { [sign === 1 ? '$gt' : '$lt']: value },
  }))
  return { $or: alternatives }
}
