import type { Content, TextField } from '../entities/snippet.js'
import { namesOf } from '../values/record.js'
import type { Order, Ordering } from './ordering.js'
import type { Seek } from './position.js'
import { matcherOf, type Search } from './search.js'

declare const valid: unique symbol

export const defaultPageSize = 10
export const maxPageSize = 100

/** Beyond the end of any collection, and small enough that page times size is a safe integer. */
const lastPage = 1_000_000_000_000

/** A page number and a page size. Only `windowOf` makes one. */
export type Window = Readonly<{ page: number; size: number }> & { readonly [valid]: 'Window' }

/** Numbers out of bounds become the nearest bound: a page size above the maximum is the maximum. */
export const windowOf = (page: number, size: number): Window =>
  ({ page: clamp(page, lastPage), size: clamp(size, maxPageSize) }) as Window

const clamp = (value: number, max: number): number => Math.min(Math.max(Math.trunc(value) || 1, 1), max)

export const offsetOf = ({ page, size }: Window): number => (page - 1) * size

/** How many items all pages have together: a lower bound if counting timed out. */
export type Count = Readonly<{ count: number; countIsLowerBound?: true }>

/** A page that was asked for by its number. If more items follow it, `count` exceeds the items up to its end. */
export type NumberedPage<A> = Count & Readonly<{ items: readonly A[] }>

/** A page beside a position. `hasMore`: there are further items on the side that is away from the position. */
export type CursorPage<A> = NumberedPage<A> & Readonly<{ hasMore: boolean }>

/** The answer to a query: a `CursorPage` if and only if the query has a position. */
export type Page<A> = NumberedPage<A> | CursorPage<A>

export const filterFields = ['language', 'title'] as const satisfies readonly TextField[]
export type FilterField = (typeof filterFields)[number]

/** Each field named must equal its text exactly, and the search must find the snippet. */
export type Filter = Readonly<{ [F in FilterField]?: string } & { search?: Search }>

type RowFilter = Exclude<keyof Filter, FilterField>
type RowTest = (snippet: Content) => boolean

/** Filters that no index serves: each row is tested. */
const rowTests: { readonly [F in RowFilter]: (value: Filter[F]) => RowTest } = { search: matcherOf }

const rowFilters = namesOf(rowTests)

export const filterNames: readonly (keyof Filter)[] = [...filterFields, ...rowFilters]

/** With a position, the page is the one beside it, and the number in `window` is ignored. */
export type SnippetQuery = Readonly<{
  filter: Filter
  ordering: Ordering
  window: Window
  seek?: Seek
}>

export const filteredFields = (filter: Filter): readonly FilterField[] =>
  filterFields.filter(field => filter[field] !== undefined)

/** Whether a snippet matches a filter. */
export const matching = (filter: Filter): RowTest => {
  const fields = filteredFields(filter)
  const tests = rowFilters.map(name => rowTest(filter, name))
  return snippet => fields.every(field => snippet[field] === filter[field]) && tests.every(test => test(snippet))
}

const rowTest = <F extends RowFilter>(filter: Filter, name: F): RowTest => rowTests[name](filter[name])

/** Whether rows must be tested one by one, because an index cannot find the matches. */
export const needsScan = (filter: Filter): boolean => rowFilters.some(name => filter[name] !== undefined)

/** The sort keys that matter: all matches of a filter have the same value in its fields. */
export const effectiveOrders = ({ filter, ordering }: Pick<SnippetQuery, 'filter' | 'ordering'>): readonly Order[] => {
  const filtered: readonly string[] = filteredFields(filter)
  return ordering.filter(({ field }) => !filtered.includes(field))
}
