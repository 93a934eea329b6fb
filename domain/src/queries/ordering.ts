import * as O from 'fp-ts/lib/Option.js'
import type { Snippet } from '../entities/snippet.js'

declare const validOrdering: unique symbol

export const orderingFields = ['created_at', 'title'] as const satisfies readonly (keyof Snippet)[]
export type OrderingField = (typeof orderingFields)[number]

/** A field to sort by, and its direction. */
export type SortKey<Field extends keyof Snippet = OrderingField> = Readonly<{ field: Field; direction: 'asc' | 'desc' }>

/** Sort keys in order of precedence. The id breaks ties. Only `makeOrdering` makes an ordering. */
export type Ordering = readonly SortKey[] & { readonly [validOrdering]: 'Ordering' }

/** Creates an ordering. Returns None if a field is repeated. */
export const makeOrdering = (keys: readonly SortKey[]): O.Option<Ordering> =>
  new Set(keys.map(({ field }) => field)).size === keys.length ? O.some(keys as Ordering) : O.none

export const defaultOrdering = [] as readonly SortKey[] as Ordering

/**
 * Returns the direction in which the id breaks ties. It equals the direction of the last sort key, so that one index
 * serves an ordering and its reverse.
 */
export const idDirectionOf = (keys: readonly SortKey<keyof Snippet>[]): SortKey['direction'] =>
  keys.at(-1)?.direction ?? 'asc'

export const reversed = <K extends SortKey<keyof Snippet>>(keys: readonly K[]): readonly K[] =>
  keys.map(key => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }))
