import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { decodeRow, type Row, rowCodecs } from '@snippets/domain/entities/row.js'
import type { RowBatches, RowFailure, RowResult, RowSource, Snapshot } from '@snippets/domain/ports/row-store.js'
import { rowFailure, rowFailureOf, tryRows } from '@snippets/domain/ports/row-store.js'
import { idString, toJson } from '@snippets/domain/values/id.js'
import { makeRecord, namesOf } from '@snippets/domain/values/record.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { parse } from 'fp-ts/lib/Json.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { codeTextOf } from '../text-file.js'

const format = 'snippets-1'
const noId = '0'

const headCodec = t.type({
  kind: t.literal('head'),
  row: t.type({ format: t.literal(format), last_id: t.union([t.literal(noId), idString]) }),
})
const endCodec = t.type({ kind: t.literal('end'), row: t.type({ sha256: t.string }) })
const rowCodec = t.type({ kind: t.keyof(rowCodecs), row: t.type({ id: idString }) })
const lineCodec = t.union([rowCodec, headCodec, endCodec])

type Line = t.TypeOf<typeof headCodec> | t.TypeOf<typeof endCodec> | Row

/** The fields of each kind. Storages order them differently, and a fixed order makes lines comparable. */
const fieldNames = makeRecord(namesOf(rowCodecs), kind => ['id', ...Object.keys(rowCodecs[kind].type.props)])

export const rowLine = ({ kind, entity }: Row): string => {
  const fields: Readonly<Record<string, unknown>> = { ...entity, id: String(entity.id) }
  const ordered = fieldNames[kind].map(name => [name, fields[name]] as const)
  return `${toJson({ kind, row: Object.fromEntries(ordered) })}\n`
}

/** Yields a complete file. Throws if the rows cannot be read. */
export async function* linesOf(snapshot: RowResult<Snapshot>): AsyncGenerator<string> {
  const opened = await snapshot()
  if (E.isLeft(opened)) throw new Error(`the storage: ${opened.left.fault}`)
  const { lastId, rows } = opened.right
  const head: t.OutputOf<typeof headCodec> = { kind: 'head', row: { format, last_id: String(lastId) } }
  // The head is sent with the first batch: a client that left after a separate head would leave the rows open.
  let text = `${JSON.stringify(head)}\n`
  const hash = createHash('sha256')
  for await (const batch of rows) {
    if (E.isLeft(batch)) throw new Error(`the storage: ${batch.left.fault}`)
    const lines = batch.right.map(rowLine).join('')
    hash.update(lines)
    yield text + lines
    text = ''
  }
  // the hash leaves out the head, because an operator may raise the last id
  yield `${text}${JSON.stringify({ kind: 'end', row: { sha256: hash.digest('hex') } })}\n`
}

export const openNdjsonSource = (path: string): RowResult<RowSource> =>
  pipe(
    TE.tryCatch(() => open(path, 'r'), codeTextOf),
    TE.mapLeft(code => rowFailure(code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`)),
    TE.map(file => ({ snapshot: snapshotIn(file), close: tryRows(() => file.close()) })),
  )

const snapshotIn = (file: FileHandle): RowResult<Snapshot> =>
  pipe(
    TE.Do,
    TE.let('lines', () => textLinesOf(file)),
    TE.bind('first', ({ lines }) => tryRows(() => lines.next())),
    TE.chain(({ lines, first }) => {
      const line = decodeLine(first.done ? '' : first.value)
      return E.isRight(line) && line.right.kind === 'head'
        ? TE.right({ lastId: BigInt(line.right.row.last_id), rows: rowsOf(lines) })
        : TE.left(damaged('line 1 is malformed, or of a newer version'))
    }),
  )

const damaged = (fault: string): RowFailure => rowFailure(`${fault}. Use another backup`)

const decodeLine = (text: string): E.Either<unknown, Line> =>
  pipe(
    parse(text),
    E.chainW(lineCodec.decode),
    E.chainW(
      (line): E.Either<unknown, Line> =>
        line.kind === 'head' || line.kind === 'end' ? E.right(line) : decodeRow(line.kind, line.row.id, line.row),
    ),
  )

const batchSize = 500

/** Yields the rows after the first line. */
async function* rowsOf(lines: AsyncIterable<string>): RowBatches {
  let batch: Row[] = []
  let number = 1
  let end: string | undefined
  const hash = createHash('sha256')
  try {
    for await (const text of lines) {
      number++
      const line = decodeLine(text)
      if (E.isLeft(line) || line.right.kind === 'head' || end !== undefined)
        return yield E.left(damaged(`line ${number} is malformed`))
      if (line.right.kind === 'end') {
        end = line.right.row.sha256
        continue
      }
      hash.update(`${text}\n`)
      if (batch.push(line.right) === batchSize) {
        yield E.right(batch)
        batch = []
      }
    }
    yield E.right(batch)
    if (end === undefined) yield E.left(damaged('is truncated: its last line is missing'))
    else if (end !== hash.digest('hex')) yield E.left(damaged('is damaged: its rows do not match its last line'))
  } catch (error) {
    yield E.left(rowFailureOf(error))
  }
}

/** Longer than the line of any row. A longer line is malformed, and splitting it would take quadratic time. */
const maxLineLength = 1_000_000

/** Splits the file into lines. Text after the last newline is a line too. */
async function* textLinesOf(file: FileHandle): AsyncGenerator<string> {
  let rest = ''
  // the hash reveals bytes that are not UTF-8
  for await (const text of file.createReadStream({ autoClose: false, encoding: 'utf8' })) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > maxLineLength) break
  }
  if (rest !== '') yield rest
}
