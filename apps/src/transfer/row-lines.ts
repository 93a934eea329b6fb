import { snippetCodec, snippetFields } from '@snippets/domain/entities/snippet.js'
import { userCodec } from '@snippets/domain/entities/user.js'
import type { Row } from '@snippets/domain/ports/row-store.js'
import { idString } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

const format = 'snippets-1'
const noId = '0'

const header = t.strict({ format: t.literal(format), last_id: t.union([t.literal(noId), idString]), rows: t.number })
const id = t.strict({ id: idString })
const line = t.union([
  t.strict({ kind: t.literal('head'), row: header }),
  t.strict({ kind: t.literal('user'), row: t.intersection([id, userCodec]) }),
  t.strict({ kind: t.literal('snippet'), row: t.intersection([id, snippetCodec]) }),
])

export type FileHeader = t.TypeOf<typeof header>
export type Line = t.TypeOf<typeof line>

/** Parses a line. None if it is malformed. */
export const parseLine = (text: string): O.Option<Line> => pipe(parse(text), E.chainW(line.decode), O.fromEither)

/** Returns the first line of a file. Its count reveals a truncated file. */
export const headerLine = (lastId: bigint, rows: number): string =>
  `${JSON.stringify({ kind: 'head', row: { format, last_id: String(lastId), rows } })}\n`

/** Storages order fields differently. One order makes lines comparable; values inside fields keep theirs. */
const order = ['id', 'username', ...Object.keys(snippetFields)]

export const rowLine = ({ kind, row }: Row): string => {
  const fields: Readonly<Record<string, unknown>> = { ...row, id: String(row.id) }
  const ordered = order.flatMap(name => (name in fields ? [[name, fields[name]] as const] : []))
  return `${JSON.stringify({ kind, row: Object.fromEntries(ordered) })}\n`
}
