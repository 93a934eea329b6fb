import { none, type Option, some } from './fp/option.js'

declare const valid: unique symbol

/** A positive 64-bit signed integer. Only `idFrom` and `parseId` make one. */
export type Id = bigint & { readonly [valid]: 'Id' }

export const maxId = 2n ** 63n - 1n

export const idFrom = (value: bigint): Option<Id> => (value >= 1n && value <= maxId ? some(value as Id) : none)

const canonical = /^[1-9][0-9]{0,18}$/

/** Parses a canonical decimal id. Rejects `01`, `+1`, `1.0` and 2^63. */
export const parseId = (text: string): Option<Id> => (canonical.test(text) ? idFrom(BigInt(text)) : none)
