import * as O from 'fp-ts/lib/Option.js'
import type { Snippet } from '../entities/snippet.js'

declare const valid: unique symbol

export const orderingFields = ['created_at', 'title'] as const satisfies readonly (keyof Snippet)[]
export type OrderingField = (typeof orderingFields)[number]

export type Direction = 'asc' | 'desc'

/** A field that sorts, and which way. */
export type SortKey<Field extends keyof Snippet = keyof Snippet> = Readonly<{ field: Field; direction: Direction }>
export type Order = SortKey<OrderingField>

/** Sort keys in order of precedence; the id breaks ties. Only `orderingOf` makes one. */
export type Ordering = readonly Order[] & { readonly [valid]: 'Ordering' }

/** None when a field is named twice. */
export const orderingOf = (orders: readonly Order[]): O.Option<Ordering> =>
  new Set(orders.map(({ field }) => field)).size === orders.length ? O.some(orders as Ordering) : O.none

export const byId = [] as readonly Order[] as Ordering

/** The id breaks ties in the direction of the last sort key, so that one index serves an order and its reverse. */
export const idDirectionOf = (keys: readonly SortKey[]): Direction => keys.at(-1)?.direction ?? 'asc'

export const reversed = <K extends SortKey>(keys: readonly K[]): readonly K[] =>
  keys.map(key => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }))
