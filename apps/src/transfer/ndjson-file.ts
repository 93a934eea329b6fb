import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  type Row,
  type RowResult,
  type RowSource,
  type RowTarget,
  rowResult,
} from '@snippets/domain/ports/row-store.js'
import { errorMessage } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { firstLine, lastLine, parseLine, rowLine } from './row-lines.js'

export const openNdjsonSource = (path: string): RowResult<RowSource> =>
  pipe(
    rowResult(() => open(path, 'r')),
    TE.map(file => ({ snapshot: snapshotOf(file, true), close: rowResult(() => file.close()) })),
  )

/** Creates a file to copy to. */
export const openNdjsonTarget = (path: string): RowResult<RowTarget> =>
  pipe(
    rowResult(() => open(path, 'wx+', 0o600)),
    TE.map(targetOf),
  )

const targetOf = (file: FileHandle): RowTarget => {
  let count = 0
  return {
    remedy: 'Delete the file, and repeat the transfer',
    begin: lastId => rowResult(() => file.appendFile(firstLine(lastId))),
    add: rows => {
      count += rows.length
      return rowResult(() => file.appendFile(rows.map(rowLine).join('')))
    },
    snapshot: snapshotOf(file, false),
    finish: rowResult(async () => {
      await file.appendFile(lastLine(count))
      await file.sync()
    }),
    close: rowResult(() => file.close()),
  }
}

const snapshotOf = (file: FileHandle, isFinished: boolean): RowSource['snapshot'] =>
  pipe(
    TE.Do,
    TE.let('lines', () => textLinesOf(file)),
    TE.bind('first', ({ lines }) => rowResult(() => lines.next())),
    TE.chain(({ lines, first }) => {
      const line = O.toUndefined(parseLine(first.done ? '' : first.value))
      return line?.kind === 'head'
        ? TE.right({ lastId: BigInt(line.row.last_id), rows: rowsOf(lines, isFinished) })
        : TE.left('line 1 is malformed')
    }),
  )

const batchSize = 500

/** Yields the rows after the first line. */
async function* rowsOf(
  lines: AsyncIterable<string>,
  isFinished: boolean,
): AsyncGenerator<E.Either<string, readonly Row[]>> {
  let batch: Row[] = []
  let [number, count] = [1, 0]
  let end: number | undefined
  try {
    for await (const text of lines) {
      number++
      const line = O.toUndefined(parseLine(text))
      if (line === undefined || line.kind === 'head' || end !== undefined)
        return yield E.left(`line ${number} is malformed`)
      if (line.kind === 'end') end = line.row.rows
      else if (batch.push(line) === batchSize) {
        count += batchSize
        yield E.right(batch)
        batch = []
      }
    }
    count += batch.length
    yield E.right(batch)
    if (isFinished && end === undefined) yield E.left('is truncated: its last line is missing')
    if (isFinished && end !== undefined && end !== count)
      yield E.left(`has ${count} rows, but its last line says ${end}`)
  } catch (error) {
    yield E.left(errorMessage(error))
  }
}

/** Splits the file into lines. Text after the last newline is a line too. */
async function* textLinesOf(file: FileHandle): AsyncGenerator<string> {
  const stream = Readable.toWeb(file.createReadStream({ start: 0, autoClose: false }))
  let rest = ''
  for await (const text of stream.pipeThrough(new TextDecoderStream('utf-8', { fatal: true }))) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
