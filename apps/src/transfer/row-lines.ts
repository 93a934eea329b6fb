import { snippetCodec, snippetFields } from '@snippets/domain/entities/snippet.js'
import { userCodec } from '@snippets/domain/entities/user.js'
import type { Row, RowResult, Snapshot } from '@snippets/domain/ports/row-store.js'
import { idString } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

const format = 'snippets-1'
const noId = '0'

const id = t.strict({ id: idString })
const line = t.union([
  t.strict({
    kind: t.literal('head'),
    row: t.strict({ format: t.literal(format), last_id: t.union([t.literal(noId), idString]) }),
  }),
  t.strict({ kind: t.literal('user'), row: t.intersection([id, userCodec]) }),
  t.strict({ kind: t.literal('snippet'), row: t.intersection([id, snippetCodec]) }),
  t.strict({ kind: t.literal('end'), row: t.strict({ rows: t.number }) }),
])

/** Parses a line. None if it is malformed. */
export const parseLine = (text: string): O.Option<t.TypeOf<typeof line>> =>
  pipe(parse(text), E.chainW(line.decode), O.fromEither)

export const firstLine = (lastId: bigint): string =>
  `${JSON.stringify({ kind: 'head', row: { format, last_id: String(lastId) } })}\n`

/** Storages order fields differently. One order makes lines comparable; values inside fields keep theirs. */
const order = ['id', 'username', ...Object.keys(snippetFields)]

export const rowLine = ({ kind, row }: Row): string => {
  const fields: Readonly<Record<string, unknown>> = { ...row, id: String(row.id) }
  const ordered = order.flatMap(name => (name in fields ? [[name, fields[name]] as const] : []))
  return `${JSON.stringify({ kind, row: Object.fromEntries(ordered) })}\n`
}

/** Returns the last line. It reveals a truncated file. */
export const lastLine = (rows: number): string => `${JSON.stringify({ kind: 'end', row: { rows } })}\n`

/** Yields a complete file. Throws if the rows cannot be read. */
export async function* linesOf(snapshot: RowResult<Snapshot>): AsyncGenerator<string> {
  const opened = await snapshot()
  if (E.isLeft(opened)) throw new Error(opened.left)
  // together with the first rows: a reader that leaves after this line would not close the rows
  let text = firstLine(opened.right.lastId)
  let count = 0
  for await (const batch of opened.right.rows) {
    if (E.isLeft(batch)) throw new Error(batch.left)
    yield text + batch.right.map(rowLine).join('')
    text = ''
    count += batch.right.length
  }
  yield text + lastLine(count)
}
