import { crc32 } from 'node:zlib'
import { snippetFields } from '@snippets/domain/entities/snippet.js'
import { effectiveOrders, type SnippetQuery } from '@snippets/domain/queries/page.js'
import type { Position } from '@snippets/domain/queries/position.js'
import { parseId } from '@snippets/domain/values/id.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'

/** Converts between positions in the order of one query and cursors. */
export type Cursors = Readonly<{
  cursorOf: (position: Position) => string
  /** None when the cursor was not made for this query. */
  positionOf: (cursor: string) => O.Option<Position>
}>

/** The checksum is no secret: a cursor names nothing but a position among rows that its query shows anyway. */
const checksumLength = 8

/** A cursor is a checksum of the query and the position, and the position: an id and the values that the query sorts by. */
export const cursorsOf = (query: Pick<SnippetQuery, 'filter' | 'ordering'>): Cursors => {
  const orders = effectiveOrders(query)
  const fields = orders.map(({ field }) => field)
  const binding = crc32(JSON.stringify([query.filter, orders]))

  const cursorOf = (position: Position): string => {
    const values = JSON.stringify([String(position.id), ...fields.map(field => position[field])])
    const checksum = crc32(values, binding).toString(16).padStart(checksumLength, '0')
    return checksum + Buffer.from(values).toString('base64url')
  }

  const positionFrom = (values: unknown): O.Option<Position> => {
    if (!Array.isArray(values)) return O.none
    const [id, ...sortValues]: readonly unknown[] = values
    if (typeof id !== 'string' || !fields.every((field, i) => snippetFields[field].is(sortValues[i]))) return O.none
    return pipe(
      parseId(id),
      O.map(id => ({ id, ...Object.fromEntries(fields.map((field, i) => [field, sortValues[i]])) })),
    )
  }

  return {
    cursorOf,
    positionOf: cursor =>
      pipe(
        O.tryCatch(() => JSON.parse(Buffer.from(cursor.slice(checksumLength), 'base64url').toString())),
        O.chain(positionFrom),
        O.filter(position => cursorOf(position) === cursor),
      ),
  }
}

/** Enough for the longest values of two fields, every character of them escaped. */
export const cursorPattern = `^[A-Za-z0-9_-]{${checksumLength + 6},2000}$`

/** The cursor of snippet 10 in the list of all by id. */
export const exampleCursor = 'abc233a6WyIxMCJd'
