import { type Filter, filteredFields } from './filter.js'
import type { Ordering, SortKey } from './ordering.js'
import type { Seek } from './position.js'

declare const validWindow: unique symbol

export const defaultPageSize = 10
export const maxPageSize = 100

/** The largest page number, past the end of any collection. Page times size is still a safe integer. */
const maxPageNumber = 1_000_000_000_000

/** A page number and a page size. Only `makeWindow` makes a window. */
export type Window = Readonly<{ page: number; size: number }> & { readonly [validWindow]: 'Window' }

/** Creates a window. A number out of bounds becomes the nearest bound. */
export const makeWindow = (page: number, size: number): Window =>
  ({ page: clamp(page, maxPageNumber), size: clamp(size, maxPageSize) }) as Window

const clamp = (value: number, max: number): number => Math.min(Math.max(Math.trunc(value) || 1, 1), max)

export const offsetOf = ({ page, size }: Window): number => (page - 1) * size

/** Why a count may be wrong: the storage stopped counting, or estimates the size of a large collection. */
export const countPrecisions = ['lower-bound', 'estimate'] as const

/** The number of items on all pages together. Without `precision` it is exact. */
export type Count = Readonly<{ count: number; precision?: (typeof countPrecisions)[number] }>

/**
 * The result of a query. `hasMore` tells whether another page exists in the direction of the query. With `seek` and
 * `hasMore`, `items` MUST NOT be empty, because the link to that page carries the position of the outermost item.
 */
export type Page<A> = Count & Readonly<{ items: readonly A[]; hasMore: boolean }>

/** The snippets on all pages of a query, and their order. */
export type Listing = Readonly<{ filter: Filter; ordering: Ordering }>

/** A query for one page. With `seek`, the page number of `window` is ignored. */
export type SnippetQuery = Listing & Readonly<{ window: Window; seek?: Seek }>

/** Returns the ordering without the filtered fields, which have the same value in all matches. */
export const sortKeysOf = ({ filter, ordering }: Listing): readonly SortKey[] => {
  const filtered: readonly string[] = filteredFields(filter)
  return ordering.filter(({ field }) => !filtered.includes(field))
}
