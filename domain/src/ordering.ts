import { none, type Option, some } from './fp/option.js'

declare const valid: unique symbol

export const orderingFields = ['created_at', 'title'] as const
export type OrderingField = (typeof orderingFields)[number]

export type Direction = 'asc' | 'desc'
export type Order = Readonly<{ field: OrderingField; direction: Direction }>

/** Sort keys in order of precedence; the id breaks ties. Only `orderingOf` makes one. */
export type Ordering = readonly Order[] & { readonly [valid]: 'Ordering' }

/** None when a field is named twice. */
export const orderingOf = (orders: readonly Order[]): Option<Ordering> =>
  new Set(orders.map(({ field }) => field)).size === orders.length ? some(orders as Ordering) : none

/**
 * The id breaks ties in the direction of the last sort key that matters, so that an index serves an order and its reverse.
 * Without one it ascends.
 */
export const idDirectionOf = (effective: readonly Order[]): Direction => effective.at(-1)?.direction ?? 'asc'
