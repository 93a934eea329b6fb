import { crc32 } from 'node:zlib'
import { snippetFields } from '@snippets/domain/entities/snippet.js'
import { effectiveOrders, type SnippetQuery } from '@snippets/domain/list/page.js'
import type { Position } from '@snippets/domain/list/position.js'
import { parseId } from '@snippets/domain/values/id.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

type Query = Pick<SnippetQuery, 'filter' | 'ordering'>

/** The checksum is no secret: a cursor names nothing but a place among rows that its query shows anyway. */
const checksumLength = 8

/** A place in the order of a query, as text: a checksum of both, and what the query sorts by. */
export const cursorOf = (query: Query, position: Position): string => {
  const orders = effectiveOrders(query)
  const place = JSON.stringify([String(position.id), ...orders.map(({ field }) => position[field])])
  const binding = JSON.stringify([query.filter, orders])
  const checksum = crc32(binding + place)
    .toString(16)
    .padStart(checksumLength, '0')
  return checksum + Buffer.from(place).toString('base64url')
}

/** The place that a cursor names. None when it was not made for this query. */
export const positionOf = (query: Query, cursor: string): O.Option<Position> =>
  pipe(
    O.tryCatch(() => JSON.parse(Buffer.from(cursor.slice(checksumLength), 'base64url').toString())),
    O.chain(place => O.fromEither(t.array(t.unknown).decode(place))),
    O.chain(place => placeIn(query, place)),
    O.filter(position => cursorOf(query, position) === cursor),
  )

const placeIn = (query: Query, [id, ...values]: readonly unknown[]): O.Option<Position> => {
  const fields = effectiveOrders(query).map(({ field }) => field)
  if (!fields.every((field, i) => snippetFields[field].is(values[i]))) return O.none
  return pipe(
    O.fromPredicate(t.string.is)(id),
    O.chain(parseId),
    O.map(id => ({ id, ...Object.fromEntries(fields.map((field, i) => [field, values[i]])) })),
  )
}

/** Enough for the longest values of two fields, every character of them escaped. */
export const cursorPattern = `^[A-Za-z0-9_-]{${checksumLength + 6},2000}$`

/** The cursor of snippet 10 in the list of all by id. */
export const exampleCursor = 'abc233a6WyIxMCJd'
