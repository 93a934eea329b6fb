import { crc32 } from 'node:zlib'
import { snippetFields } from '@snippets/domain/entities/snippet.js'
import { type Listing, sortKeysOf } from '@snippets/domain/queries/page.js'
import type { Position } from '@snippets/domain/queries/position.js'
import { parseId, toJson } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

/** Characters of the checksum. It needs no secret: a forged cursor reaches only snippets that its query returns. */
const checksumLength = 8

/**
 * Creates a converter between cursors and the positions in the order of a query. A cursor is a checksum of the query
 * and a position, followed by that position.
 */
export const createCursorCodec = (query: Listing) => {
  const sortKeys = sortKeysOf(query)
  const fields = sortKeys.map(({ field }) => field)
  const queryChecksum = crc32(toJson([query.filter, sortKeys]))

  const cursorOf = (position: Position): string => {
    const values = toJson([String(position.id), ...fields.map(field => position[field])])
    const checksum = crc32(values, queryChecksum).toString(16).padStart(checksumLength, '0')
    return checksum + Buffer.from(values).toString('base64url')
  }

  const positionOfValues = (values: unknown): O.Option<Position> => {
    if (!Array.isArray(values)) return O.none
    const [id, ...sortValues]: readonly unknown[] = values
    const decoded = E.sequenceArray<unknown, unknown>(fields.map((f, i) => snippetFields[f].decode(sortValues[i])))
    if (typeof id !== 'string' || E.isLeft(decoded)) return O.none
    return pipe(
      parseId(id),
      O.map(id => ({ id, ...Object.fromEntries(fields.map((field, i) => [field, decoded.right[i]])) })),
    )
  }

  return {
    cursorOf,
    /** Returns None if the position does not encode to this cursor, which is then malformed or of another query. */
    positionOf: (cursor: string): O.Option<Position> =>
      pipe(
        O.tryCatch(() => JSON.parse(Buffer.from(cursor.slice(checksumLength), 'base64url').toString())),
        O.chain(positionOfValues),
        O.filter(position => cursorOf(position) === cursor),
      ),
  }
}
