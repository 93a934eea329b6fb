import { maxId } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as t from 'io-ts'
import { damageMessage } from './opening-failure.js'

/** The version of the layout. It grows with each change that older versions of the service cannot read. */
const layoutVersion = 1

/** The totals of all rows. Every batch contains the new head, so that the head always fits the rows. */
export type DatabaseHead = Readonly<{
  /** The largest id that was ever assigned. */
  lastId: bigint
  rows: number
  /** The sum of the checksums of all stored rows. */
  sum: number
}>

export const emptyHead: DatabaseHead = { lastId: 0n, rows: 0, sum: 0 }

export const encodeHead = ({ lastId, rows, sum }: DatabaseHead): string =>
  JSON.stringify({ format: layoutVersion, lastId: String(lastId), rows, sum })

const formatCodec = t.type({ format: t.number })
const headCodec = t.type({ lastId: t.string, rows: t.number, sum: t.number })

/** Decodes a stored head. Left is a message that follows the name of the directory. */
export const decodeHead = (text: string): E.Either<string, DatabaseHead> => {
  const stored = E.getOrElseW(() => undefined)(parse(text))
  if (formatCodec.is(stored) && stored.format > layoutVersion)
    return E.left(
      `was written by a newer version of this service (format ${stored.format}; this one knows ${layoutVersion}). Start that version`,
    )
  const isHead = headCodec.is(stored) && /^\d{1,19}$/.test(stored.lastId) && BigInt(stored.lastId) <= maxId
  if (!isHead) return E.left(damageMessage('its head is unreadable'))
  return E.right({ lastId: BigInt(stored.lastId), rows: stored.rows, sum: stored.sum })
}
