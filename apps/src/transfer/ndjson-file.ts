import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import {
  precedes,
  type Row,
  type RowResult,
  type RowSource,
  type RowStore,
  rowResult,
} from '@snippets/domain/ports/row-store.js'
import { codeOf, errorMessage } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type FileHeader, headerLine, type Line, parseLine, rowLine } from './row-lines.js'

/** Returns a source that reads a file of JSON lines. */
export const ndjsonSource = (path: string): RowSource => ({
  lastId: rowResult(async () => {
    for await (const { kind, row } of linesOf(path)) if (kind === 'head') return BigInt(row.last_id)
    throw new Error('is empty')
  }),
  async *rows() {
    try {
      for await (const line of linesOf(path)) if (line.kind !== 'head') yield E.right(line)
    } catch (error) {
      yield E.left(errorMessage(error))
    }
  },
  close: TE.right(undefined),
})

/** Opens a file. Messages of errors have no subject: the caller prepends the name of the file. */
const openFile = (path: string, flags: 'r' | 'wx'): Promise<FileHandle> =>
  open(path, flags, 0o600).catch((cause: unknown) => {
    const code = codeOf(cause)
    if (code === 'EEXIST') throw new Error('exists already. Name a new file', { cause })
    if (code !== 'ENOENT') throw new Error(`cannot be opened (${code ?? cause})`, { cause })
    throw new Error(flags === 'r' ? 'does not exist' : 'cannot be created: its directory does not exist', { cause })
  })

export const createNdjson = (path: string, lastId: bigint, rows: number): RowResult<RowStore> =>
  rowResult(async () => {
    const file = await openFile(path, 'wx')
    await file.appendFile(headerLine(lastId, rows))
    return {
      ...ndjsonSource(path),
      add: added => rowResult(() => file.appendFile(added.map(rowLine).join(''))),
      // the header has the last id
      raiseLastId: () => TE.right(undefined),
      close: rowResult(() => file.sync().finally(() => file.close())),
    }
  })

/** Reads the lines in order. Throws if a line is malformed or out of order, or if rows are missing. */
async function* linesOf(path: string): AsyncGenerator<Line> {
  let [lines, header, last]: [number, FileHeader | undefined, Row | undefined] = [0, undefined, undefined]
  for await (const text of textLinesOf(path)) {
    const line = O.toUndefined(parseLine(text))
    lines++
    if (line === undefined || (line.kind === 'head') !== (lines === 1)) throw new Error(`line ${lines} is malformed`)
    if (line.kind === 'head') header = line.row
    else {
      if (last !== undefined && !precedes(last, line)) throw new Error(`line ${lines} is not in order`)
      last = line
    }
    yield line
  }
  if (header === undefined) throw new Error('is empty')
  if (header.rows !== lines - 1) throw new Error(`has ${lines - 1} rows, but its header says ${header.rows}`)
}

/** Longer than any row with every character escaped. A longer line ends the reading, and is reported as malformed. */
const maxLineLength = 1024 * 1024

/** Splits the file into lines. Text after the last newline is a line too. */
async function* textLinesOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoderStream('utf-8', { fatal: true })
  let rest = ''
  for await (const text of Readable.toWeb((await openFile(path, 'r')).createReadStream()).pipeThrough(decoder)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > maxLineLength) break
  }
  if (rest !== '') yield rest
}
