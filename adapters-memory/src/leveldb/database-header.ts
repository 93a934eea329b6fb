import { type RowFailure, rowFailure } from '@snippets/domain/ports/row-store.js'
import { maxId } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as t from 'io-ts'
import { damaged } from './opening-failure.js'

/** The version of the stored format. It grows with each change that older versions of the service cannot read. */
const formatVersion = 1

/** The totals of all rows. Every batch contains the new header, so the header always matches the rows. */
export type DatabaseHeader = Readonly<{
  lastId: bigint
  rows: number
  /** The sum of the checksums of all stored rows. */
  sum: number
  /** Whether a transfer has begun and not finished. */
  isIncomplete: boolean
}>

export const emptyHeader: DatabaseHeader = { lastId: 0n, rows: 0, sum: 0, isIncomplete: false }

const formatCodec = t.type({ format: t.number })
const headerCodec = t.type({ format: t.number, lastId: t.string, rows: t.number, sum: t.number })

export const encodeHeader = ({ lastId, rows, sum, isIncomplete }: DatabaseHeader): string => {
  const header: t.OutputOf<typeof headerCodec> = { format: formatVersion, lastId: String(lastId), rows, sum }
  return JSON.stringify({ ...header, ...(isIncomplete && { isIncomplete }) })
}

export const decodeHeader = (text = ''): E.Either<RowFailure, DatabaseHeader> => {
  const stored = E.getOrElseW(() => undefined)(parse(text))
  if (formatCodec.is(stored) && stored.format > formatVersion)
    return E.left(rowFailure(`has the newer format ${stored.format}. Start the version of the service that wrote it`))
  const isHeader = headerCodec.is(stored) && /^\d{1,19}$/.test(stored.lastId) && BigInt(stored.lastId) <= maxId
  if (!isHeader) return E.left(damaged('its header is unreadable'))
  const { rows, sum } = stored
  return E.right({ lastId: BigInt(stored.lastId), rows, sum, isIncomplete: 'isIncomplete' in stored })
}
