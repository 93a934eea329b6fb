import type { Content, TextField } from '../entities/snippet.js'
import { namesOf } from '../values/record.js'
import type { Ordering, SortKey } from './ordering.js'
import type { Seek } from './position.js'
import { matcherOfSearch, type Search } from './search.js'

declare const valid: unique symbol

export const defaultPageSize = 10
export const maxPageSize = 100

/** The largest page number, past the end of any collection. Page times size is still a safe integer. */
const maxPageNumber = 1_000_000_000_000

/** A page number and a page size. Only `windowOf` makes a window. */
export type Window = Readonly<{ page: number; size: number }> & { readonly [valid]: 'Window' }

/** Makes a window. A number out of bounds becomes the nearest bound. */
export const windowOf = (page: number, size: number): Window =>
  ({ page: clamp(page, maxPageNumber), size: clamp(size, maxPageSize) }) as Window

const clamp = (value: number, max: number): number => Math.min(Math.max(Math.trunc(value) || 1, 1), max)

export const offsetOf = ({ page, size }: Window): number => (page - 1) * size

/** The number of items on all pages together: a lower bound if counting did not finish. */
export type Count = Readonly<{ count: number; countIsLowerBound?: true }>

/** A page by its number. If items follow it, `count` MUST exceed its offset plus its length, even as a lower bound. */
export type NumberedPage<A> = Count & Readonly<{ items: readonly A[] }>

/** A page after or before a position. `hasMore` tells whether another page exists in the same direction. */
export type CursorPage<A> = Count & Readonly<{ items: readonly A[]; hasMore: boolean }>

/** The result of a query: a `CursorPage` if and only if the query has `seek`. */
export type Page<A> = NumberedPage<A> | CursorPage<A>

export const filterFields = ['language', 'title'] as const satisfies readonly TextField[]
export type FilterField = (typeof filterFields)[number]

/** The conditions of a query. A field must equal its text exactly, and the search must find the snippet. */
export type Filter = Readonly<{ [F in FilterField]?: string } & { search?: Search }>

type RowFilter = Exclude<keyof Filter, FilterField>
type RowTest = (snippet: Content) => boolean

/** Filters without an index: each row is tested. */
const rowTests: { readonly [F in RowFilter]: (value: Filter[F]) => RowTest } = { search: matcherOfSearch }

const rowFilters = namesOf(rowTests)

export const filterNames: readonly (keyof Filter)[] = [...filterFields, ...rowFilters]

/** A query for one page. With `seek`, the page number of `window` is ignored. */
export type SnippetQuery = Readonly<{
  filter: Filter
  ordering: Ordering
  window: Window
  seek?: Seek
}>

export const filteredFields = (filter: Filter): readonly FilterField[] =>
  filterFields.filter(field => filter[field] !== undefined)

/** Returns a function that tests whether a snippet matches the filter. */
export const matcherOfFilter = (filter: Filter): RowTest => {
  const fields = filteredFields(filter)
  const tests = rowFilters.map(name => rowTest(filter, name))
  return snippet => fields.every(field => snippet[field] === filter[field]) && tests.every(test => test(snippet))
}

const rowTest = <F extends RowFilter>(filter: Filter, name: F): RowTest => rowTests[name](filter[name])

/** Tells whether rows must be tested one by one, because no index finds the matches. */
export const needsScan = (filter: Filter): boolean => rowFilters.some(name => filter[name] !== undefined)

/** Returns the ordering without the filtered fields, which have the same value in all matches. */
export const sortKeysOf = ({ filter, ordering }: Pick<SnippetQuery, 'filter' | 'ordering'>): readonly SortKey[] => {
  const filtered: readonly string[] = filteredFields(filter)
  return ordering.filter(({ field }) => !filtered.includes(field))
}
