import type { Snippet } from '../entities/snippet.js'
import type { Id } from '../values/id.js'
import type { FilterField } from './filter.js'
import { idDirectionOf, type OrderingField, type SortKey } from './ordering.js'

export type SortField = FilterField | OrderingField

/** The values that rows are filtered and sorted by, with the id of a row, or of a bound, which need not be an id. */
export type SortValues = Readonly<{ id: bigint } & { [F in SortField]?: Snippet[F] extends string ? string : number }>

/**
 * A position in an ordering: a value for each sort key, and an id. The row with these values may no longer exist.
 * Storages MUST ignore values of other fields.
 */
export type Position = SortValues & Readonly<{ id: Id }>

export type Side = 'after' | 'before'

/** A request for the page right after or right before a position. */
export type Seek = Readonly<{ side: Side; position: Position }>

type Compare = (a: SortValues, b: SortValues) => number

/**
 * Returns a function that compares rows or positions in the order of pages: by the sort keys, then by the id. A missing
 * value equals any value, because the bound of a range has values for the filtered fields only.
 */
export const compareBy = (keys: readonly SortKey<SortField>[]): Compare =>
  [...keys, { field: 'id', direction: idDirectionOf(keys) } as const]
    .map(({ field, direction }): Compare => {
      const ascending = comparators[field]
      return direction === 'asc' ? ascending : (a, b) => ascending(b, a)
    })
    .reduce((first, second) => (a, b) => first(a, b) || second(a, b))

/** The ascending order of each field. */
const comparators: { readonly [F in keyof Required<SortValues>]: Compare } = {
  id: (a, b) => Number(a.id > b.id) - Number(a.id < b.id),
  created_at: (a, b) => compareNumbers(a.created_at, b.created_at),
  title: (a, b) => compareTexts(a.title, b.title),
  language: (a, b) => compareTexts(a.language, b.language),
}

const compareNumbers = (a?: number, b?: number): number => (a === undefined || b === undefined ? 0 : a - b)

/** Compares by code point. `<` compares UTF-16 units, and a surrogate sorts before U+E000 to U+FFFF. */
const compareTexts = (a?: string, b?: string): number => {
  if (a === undefined || b === undefined || a === b) return 0
  let i = 0
  while (i < a.length && a.charCodeAt(i) === b.charCodeAt(i)) i++
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1)
}
