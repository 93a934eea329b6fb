import { maxId } from '@snippets/domain/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as t from 'io-ts'
import { damaged } from './opening-failure.js'

/** The layout of the directory. A change that older versions of the service cannot read adds 1. */
const format = 1

/** What is true of all rows together. It is written with every batch, so it always fits the rows. */
export type Head = Readonly<{
  /** The largest id that was ever assigned. */
  lastId: bigint
  rows: number
  /** The sum of the checksums of all rows, as they are stored. */
  sum: number
}>

export const emptyHead: Head = { lastId: 0n, rows: 0, sum: 0 }

export const encodeHead = ({ lastId, rows, sum }: Head): string =>
  JSON.stringify({ format, lastId: String(lastId), rows, sum })

const formatCodec = t.type({ format: t.number })
const headCodec = t.type({ lastId: t.string, rows: t.number, sum: t.number })

/** Left is a sentence without its subject. */
export const decodeHead = (text: string): E.Either<string, Head> =>
  pipe(
    parse(text),
    E.filterOrElseW(formatCodec.is, () => damaged('its head is unreadable')),
    E.filterOrElseW(
      stored => stored.format <= format,
      stored =>
        `was written by a newer version of this service (format ${stored.format}; this one knows ${format}). Start that version`,
    ),
    E.filterOrElseW(headCodec.is, () => damaged('its head is unreadable')),
    E.filterOrElseW(
      ({ lastId }) => /^\d{1,19}$/.test(lastId) && BigInt(lastId) <= maxId,
      () => damaged('its head is unreadable'),
    ),
    E.bimap(
      why => (typeof why === 'string' ? why : damaged('its head is unreadable')),
      ({ lastId, rows, sum }) => ({ lastId: BigInt(lastId), rows, sum }),
    ),
  )
