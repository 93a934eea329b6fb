import type * as t from 'io-ts'
import { Decimal128, Long } from 'mongodb'

/** An int64: a bigint when it is written, and a Long when it is read. */
export type Int64 = bigint | Long

// The readers return a malformed value unchanged or as NaN, so that a decoder rejects it.

/** Converts an integer of any numeric type to a bigint, because an operator may have stored another type. */
export const readInteger = (stored: unknown): unknown => {
  const isNumeric = typeof stored === 'number' || Long.isLong(stored) || stored instanceof Decimal128
  return isNumeric && /^\d+$/.test(String(stored)) ? BigInt(String(stored)) : stored
}

/** Converts a date to the milliseconds since 1970. */
export const readDate = (stored: unknown): number => (stored instanceof Date ? stored.getTime() : Number.NaN)

/** Converts the value of a field to a value that its codec decodes. */
export const readValue = (codec: t.Mixed, stored: unknown): unknown => {
  if ('isInstant' in codec) return readDate(stored)
  if (!Long.isLong(stored)) return stored
  const value = stored.toBigInt()
  return codec.is(value) ? codec.encode(value) : stored.toNumber()
}

/** Converts a value to the form in which a field with this codec is stored. `codec` is undefined for the id. */
export const storedValue = (codec: t.Mixed | undefined, value: unknown): unknown =>
  codec !== undefined && 'isInstant' in codec && typeof value === 'number' ? new Date(value) : value
