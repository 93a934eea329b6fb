import { Decimal128, Long } from 'mongodb'

/** An int64: a bigint when it is written, and a Long when it is read. */
export type Int64 = bigint | Long

// The readers return a malformed value unchanged or as NaN, so that a decoder rejects it.

/** Converts an int64 to a bigint. */
export const readInt64 = (stored: unknown): unknown => (Long.isLong(stored) ? stored.toBigInt() : stored)

/** Converts an integer of any numeric type to a bigint, because an operator may have stored another type. */
export const readInteger = (stored: unknown): unknown => {
  const isNumeric = typeof stored === 'number' || Long.isLong(stored) || stored instanceof Decimal128
  return isNumeric && /^\d+$/.test(String(stored)) ? BigInt(String(stored)) : stored
}

/** Converts a date to the milliseconds since 1970. */
export const readDate = (stored: unknown): number => (stored instanceof Date ? stored.getTime() : Number.NaN)
