import { type Snippet, snippetFields } from '@snippets/domain/entities/snippet.js'
import { type PageError, searchTooBroad, unavailable } from '@snippets/domain/ports/errors.js'
import { escapeTerm, type Filter, needsScan, type Search, searchFields } from '@snippets/domain/queries/filter.js'
import { idDirectionOf, type SortKey } from '@snippets/domain/queries/ordering.js'
import { offsetOf, type Page, type SnippetQuery, sortKeysOf } from '@snippets/domain/queries/page.js'
import { type Plan, planName } from '@snippets/domain/queries/plan.js'
import type { Position, Side, SortField } from '@snippets/domain/queries/position.js'
import { LoggableError } from '@snippets/remote-storage/redaction.js'
import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { type PageRequest, readCursorPage, readNumberedPage, type Sort } from '../collections/pages.js'
import { storedValue } from '../collections/stored-values.js'
import { isMaxTimeExpired } from '../connection/server-errors.js'
import type { SnippetDocument, SnippetFilter } from './snippet-document.js'

/** The signs of the sort keys in a query that reads away from a position, to one side of it. */
const signs = { after: { asc: 1, desc: -1 }, before: { asc: -1, desc: 1 } } as const

/** Returns the sort by these keys and, last, by the id. */
const sortBy = (keys: readonly SortKey<SortField>[], side: Side = 'after'): Sort => ({
  ...Object.fromEntries(keys.map(({ field, direction }) => [field, signs[side][direction]])),
  _id: signs[side][idDirectionOf(keys)],
})

export const makePageIndex = (plan: Plan) => ({ name: `page(${planName(plan)})`, key: sortBy(plan) })

/** From this offset on, a numbered page costs as much as a search, because the database reads all rows before it. */
const deepOffset = 10_000

/** Tells whether the database has to read many more rows than it returns. */
export const isExpensive = ({ filter, seek, window }: SnippetQuery): boolean =>
  needsScan(filter) || (seek === undefined && offsetOf(window) >= deepOffset)

type PageSource = Omit<PageRequest<SnippetDocument, Snippet>, 'filter' | 'sort' | 'window'> &
  Readonly<{ signal: AbortSignal }>

const pageTimedOut = new LoggableError(
  'the database did not read the page in time: the page is deep, or its index is missing',
)

export const readSnippets = async (
  source: PageSource,
  query: SnippetQuery,
): Promise<E.Either<PageError, Page<Snippet>>> => {
  const { window, seek } = query
  const { filter, rowFilter, sort } = selectionOf(query)
  const request = { ...source, filter, sort, window }
  try {
    if (seek === undefined) return E.right(await readNumberedPage(request))
    return E.right(await readCursorPage({ ...request, side: seek.side, rowFilter }))
  } catch (error) {
    if (!isMaxTimeExpired(error)) throw error
    return E.left(needsScan(query.filter) ? searchTooBroad : unavailable('unapplied', pageTimedOut))
  }
}

/** Returns the filter of all matches, the filter of the rows that a page may show, and the sort of these rows. */
export const selectionOf = (query: SnippetQuery) => {
  const { seek } = query
  const filter = filterOf(query.filter)
  const sort = sortBy(sortKeysOf(query), seek?.side)
  return { filter, rowFilter: seek === undefined ? filter : filterOfPosition(seek.position, filter, sort), sort }
}

/** Returns the filter of a search. No index helps: the database tests each row that the other filters select. */
const filterOfSearch = (search: Search): SnippetFilter => ({
  $and: search.map(term => ({
    $or: searchFields.map(field => ({ [field]: { $regex: patternOf(term), $options: 'i' } })),
  })),
})

/** Combines the conditions of a filter, which have different keys. */
const filterOf = ({ language, title, search }: Filter): SnippetFilter => {
  const conditions = {
    language: language === undefined ? {} : { language },
    title: title === undefined ? {} : { title },
    search: search === undefined ? {} : filterOfSearch(search),
  } satisfies Record<keyof Filter, SnippetFilter>
  return Object.assign({}, ...Object.values(conditions))
}

/** Returns a pattern that finds exactly the term. PCRE2 reads the escapes alike. BSON would end a pattern at U+0000. */
const patternOf = (term: string): string => escapeTerm(term).replaceAll('\0', '\\x00')

/**
 * Returns a filter for the matches after a position in a sort. Each alternative is one range of the index: its rows
 * equal the position in the first sort keys and come after it in the next one. MongoDB merges these ranges without a
 * sort (https://www.mongodb.com/docs/manual/reference/explain-results/, SORT_MERGE).
 */
const filterOfPosition = ({ id, ...position }: Position, filter: SnippetFilter, sort: Sort): SnippetFilter => {
  const values: Readonly<Record<string, string | number | bigint | undefined>> = { ...position, _id: id }
  const codecs: Readonly<Record<string, t.Mixed>> = snippetFields
  const keys = Object.entries(sort).map(([field, sign]) => {
    const value = storedValue(codecs[field], values[field])
    return { field, sign, value }
  })
  const alternatives = keys.map(({ field, sign, value }, i) => ({
    ...filter,
    ...Object.fromEntries(keys.slice(0, i).map(equal => [equal.field, equal.value])),
    [field]: { [sign === 1 ? '$gt' : '$lt']: value },
  }))
  return { $or: alternatives }
}
