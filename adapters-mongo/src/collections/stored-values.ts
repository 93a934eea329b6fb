import { type Corrupt, corrupt } from '@snippets/domain/ports/errors.js'
import type { Decode } from '@snippets/remote-storage/decode-rows.js'
import { LoggableError } from '@snippets/remote-storage/redaction.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { BSON, Decimal128, Long } from 'mongodb'

/** A row in the bytes of the database. With decoded rows, one that the driver cannot decode would fail the reply. */
export type RawRow = Uint8Array

/** The option of a read that returns raw rows. */
export const asRaw = { raw: true } as const

/** The options of a reply to decode whose rows may hold anything in fields that the service does not read. */
export const lenient = { enableUtf8Validation: false, bsonRegExp: true } as const

/** Creates a decoder of raw rows. A row is corrupt if a text of the entity is not UTF-8, or cannot be decoded. */
export const decodeRaw = <A>(
  { name, type }: Readonly<{ name: string; type: Readonly<{ props: object }> }>,
  decodeFields: Decode<A>,
): Decode<A, RawRow> => {
  const utf8 = Object.fromEntries(Object.keys(type.props).map(field => [field, true as const]))
  const options = { promoteLongs: false, bsonRegExp: true, validation: { utf8 } }
  return row =>
    pipe(
      E.tryCatch(
        () => BSON.deserialize(row, options),
        () => undecodable(name, idOfRaw(row)),
      ),
      E.chain(decodeFields),
    )
}

export const undecodable = (name: string, id: unknown): Corrupt =>
  corrupt(new LoggableError(`${name} ${id} is stored in bytes that are no value: is a text not UTF-8?`))

/** Reads the `_id` of a row, which the database stores first, if it is a number. */
export const idOfRaw = (row: RawRow): string => {
  const view = new DataView(row.buffer, row.byteOffset)
  const start = 9
  switch (view.getUint8(4)) {
    case BSON.BSONType.long:
      return String(view.getBigInt64(start, true))
    case BSON.BSONType.int:
      return String(view.getInt32(start, true))
    case BSON.BSONType.double:
      return String(view.getFloat64(start, true))
    case BSON.BSONType.decimal:
      return String(new Decimal128(row.subarray(start, start + 16)))
    default:
      return 'without a numeric id'
  }
}

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
