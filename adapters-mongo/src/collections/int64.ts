import { type Decimal128, Long } from 'mongodb'

/** A bigint that the service stores as an int64, or a number as the driver reads it: operators may store other types. */
export type Int64 = bigint | Long | number | Decimal128

export const bigintOf = (stored: Int64): bigint => BigInt(typeof stored === 'object' ? stored.toString() : stored)

/** Converts an int64 to a bigint, and returns other values unchanged, so that a decoder rejects them. */
export const readInt64 = (stored: unknown): unknown => (Long.isLong(stored) ? stored.toBigInt() : stored)
