import { corrupt } from '@snippets/domain/ports/errors.js'
import { type Id, idCodec } from '@snippets/domain/values/id.js'
import { type Decode, decodeWith } from '@snippets/remote-storage/decode-rows.js'
import { LoggableError } from '@snippets/remote-storage/redaction.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'
import { BSON, Decimal128, type FindCursor } from 'mongodb'
import { readValue } from './stored-values.js'

/** A row in the bytes of the database, to be decoded alone: the driver decodes all rows of a reply or none. */
export type RawRow = Uint8Array

/** The option of a read that returns raw rows. */
export const asRaw = { raw: true } as const

/** Options for replies that the driver decodes. Fields that the service does not read may hold anything. */
export const lenientDecoding = { enableUtf8Validation: false, bsonRegExp: true } as const

/** The codec of an entity without its id, as `t.strict` makes it. */
type EntityCodec<A> = t.Decoder<unknown, A> & Readonly<{ type: Readonly<{ props: t.Props }> }>

/** Creates a decoder of raw rows. A row is corrupt if a text of the entity is not UTF-8, or cannot be decoded. */
export const decodeRaw = <A>(codec: EntityCodec<A>): Decode<A & Readonly<{ id: Id }>, RawRow> => {
  const fields = Object.entries(codec.type.props)
  const utf8 = Object.fromEntries(fields.map(([field]) => [field, true as const]))
  const options = { promoteLongs: false, bsonRegExp: true, validation: { utf8 } }
  const decode = decodeWith(codec)
  const undecodable = (row: RawRow) =>
    new LoggableError(`${codec.name} ${idOfRaw(row)} is stored in bytes that are no value: is a text not UTF-8?`)
  return row =>
    pipe(
      E.tryCatch(
        () => BSON.deserialize(row, options),
        () => corrupt(undecodable(row)),
      ),
      E.chain(stored =>
        decode({
          id: readValue(idCodec, stored._id),
          ...Object.fromEntries(fields.map(([field, codec]) => [field, readValue(codec, stored[field])])),
        }),
      ),
    )
}

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
      return String(Number(new Decimal128(row.subarray(start, start + 16))))
    default:
      return 'without a numeric id'
  }
}

const endedEarly = new LoggableError('a list was not read to its end: the client has closed its cursor')

/** Reads the next batch of rows. Only the server ends a list, with an empty batch: a closed cursor has no more rows. */
export const readBatch = async <Row>(cursor: FindCursor<Row>): Promise<readonly Row[]> => {
  if (await cursor.hasNext()) return cursor.readBufferedDocuments()
  if (cursor.killed || !cursor.id?.isZero()) throw endedEarly
  return []
}
