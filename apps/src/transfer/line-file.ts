import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { isBefore, type Row, type RowSource, type RowStore } from '@snippets/domain/ports/row-store.js'
import * as O from 'fp-ts/lib/Option.js'
import { errorCode } from '../operator/error-code.js'
import { type Head, headLine, type Line, parseLine, rowLine } from './row-lines.js'

/** The rows of a file of JSON lines, to be read only. */
export const readLineFile = (path: string): RowSource => ({
  lastId: async () => {
    for await (const [head] of linesOf(path)) if (head?.kind === 'head') return BigInt(head.row.last_id)
    throw new Error('is empty')
  },
  async *rows() {
    for await (const lines of linesOf(path)) yield lines.filter(isRow)
  },
  close: async () => {},
})

const isRow = (line: Line): line is Row => line.kind !== 'head'

/** A new file of JSON lines. */
export const writeLineFile = async (path: string, lastId: bigint, rows: number): Promise<RowStore> => {
  const file = await open(path, 'wx', 0o600).catch(explain)
  await file.appendFile(headLine(lastId, rows)).catch(explain)
  return {
    ...readLineFile(path),
    add: rows => file.appendFile(rows.map(rowLine).join('')).catch(explain),
    // the head says it
    raiseLastId: async () => {},
    close: () =>
      file
        .sync()
        .finally(() => file.close())
        .catch(explain),
  }
}

const explain = (error: unknown): never => {
  const code = errorCode(error)
  if (code === 'EEXIST') throw new Error('exists already. Name a new file')
  throw code === undefined ? error : new Error(`cannot be read or written (${code})`)
}

/** More than any row has, even when every character is escaped. */
const maxLineLength = 1024 * 1024

/** All lines, as they are read. Throws a sentence that names the line. */
async function* linesOf(path: string): AsyncGenerator<readonly Line[]> {
  const seen: { lines: number; head?: Head; row?: Row } = { lines: 0 }
  const take = (text: string): Line => {
    const line = O.toUndefined(parseLine(text))
    seen.lines++
    if (line === undefined || (line.kind === 'head') !== (seen.lines === 1))
      throw new Error(`is malformed in line ${seen.lines}`)
    if (line.kind === 'head') seen.head = line.row
    else {
      if (seen.row !== undefined && !isBefore(seen.row, line)) throw new Error(`is not in order at line ${seen.lines}`)
      seen.row = line
    }
    return line
  }
  let rest = ''
  for await (const text of textsOf(path)) {
    const texts = (rest + text).split('\n')
    rest = texts.pop() ?? ''
    if (rest.length > maxLineLength) throw new Error(`is malformed in line ${seen.lines + texts.length + 1}`)
    if (texts.length > 0) yield texts.map(take)
  }
  if (seen.head === undefined) throw new Error('is empty')
  if (rest !== '') throw new Error(`ends within line ${seen.lines + 1}`)
  const [rows, { rows: expected }] = [seen.lines - 1, seen.head]
  if (rows !== expected) throw new Error(`has ${rows} rows, but its head says ${expected}`)
}

async function* textsOf(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(path)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (error) {
    explain(error)
  }
}
