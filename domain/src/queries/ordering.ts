import * as O from 'fp-ts/lib/Option.js'
import type { Snippet } from '../entities/snippet.js'

declare const valid: unique symbol

export const orderingFields = ['created_at', 'title'] as const satisfies readonly (keyof Snippet)[]
export type OrderingField = (typeof orderingFields)[number]

export type Direction = 'asc' | 'desc'

/** A field to sort by, and its direction. */
export type SortKey<Field extends keyof Snippet = keyof Snippet> = Readonly<{ field: Field; direction: Direction }>
export type OrderKey = SortKey<OrderingField>

/** Sort keys in order of precedence. The id breaks ties. Only `orderingOf` makes an ordering. */
export type Ordering = readonly OrderKey[] & { readonly [valid]: 'Ordering' }

/** Returns None if a field is repeated. */
export const orderingOf = (keys: readonly OrderKey[]): O.Option<Ordering> =>
  new Set(keys.map(({ field }) => field)).size === keys.length ? O.some(keys as Ordering) : O.none

export const byId = [] as readonly OrderKey[] as Ordering

/** Returns the direction in which the id breaks ties: that of the last sort key, so that one index serves an ordering and its reverse. */
export const idDirectionOf = (keys: readonly SortKey[]): Direction => keys.at(-1)?.direction ?? 'asc'

export const reversed = <K extends SortKey>(keys: readonly K[]): readonly K[] =>
  keys.map(key => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }))
