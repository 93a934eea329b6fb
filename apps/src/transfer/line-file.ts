import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Row, RowStore } from '@snippets/domain/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { errorCode } from '../error-code.js'
import { headLine, type Line, parseLine, rowLine } from './row-lines.js'

const sentenceOf = (error: unknown): string => {
  const code = errorCode(error)
  if (code === 'EEXIST') return 'exists already. Name a new file'
  if (code !== undefined) return `cannot be read or written (${code})`
  return error instanceof Error ? error.message : String(error)
}

const attempt = <A>(work: () => Promise<A>): TE.TaskEither<string, A> => TE.tryCatch(work, sentenceOf)

/** The rows of a file of JSON lines. */
export const readLineFile = (path: string): RowStore => ({
  lastId: attempt(() => lastIdOf(path)),
  rows: () => rowsOf(path),
  add: () => TE.left('can only be read'),
  raiseLastId: () => TE.left('can only be read'),
  close: async () => {},
})

/** A new file of JSON lines, for this many rows. */
export const writeLineFile = (path: string, lastId: bigint, rows: number): TE.TaskEither<string, RowStore> =>
  attempt(async () => {
    const file = await open(path, 'wx', 0o600)
    await file.appendFile(headLine(lastId, rows))
    return {
      ...readLineFile(path),
      add: added => attempt(() => file.appendFile(added.map(rowLine).join('')).then(() => [])),
      // the head says it
      raiseLastId: () => TE.right(undefined),
      close: async () => {
        await file.sync()
        await file.close()
      },
    }
  })

const lastIdOf = async (path: string): Promise<bigint> => {
  for await (const [head] of linesOf(path)) if (head?.kind === 'head') return BigInt(head.row.last_id)
  throw new Error('has no head')
}

async function* rowsOf(path: string): AsyncGenerator<E.Either<string, readonly Row[]>> {
  try {
    for await (const lines of linesOf(path)) yield E.right(lines.filter(isRow))
  } catch (error) {
    yield E.left(sentenceOf(error))
  }
}

const isRow = (line: Line): line is Row => line.kind !== 'head'

/** More than any row has, even when every character is escaped. */
const maxLineLength = 1024 * 1024

/** All lines, as they are read. Throws a sentence that names the line. */
async function* linesOf(path: string): AsyncGenerator<readonly Line[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let [number, rows, rest] = [0, 0, '']
  const take = (text: string): Line => {
    number++
    const line = parseLine(text)
    if (O.isNone(line) || isRow(line.value) === (number === 1)) throw new Error(`is malformed in line ${number}`)
    if (!isRow(line.value)) rows = line.value.row.rows
    return line.value
  }
  for await (const bytes of createReadStream(path)) {
    const texts = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = texts.pop() ?? ''
    if (rest.length > maxLineLength) throw new Error(`is malformed in line ${number + texts.length + 1}`)
    if (texts.length > 0) yield texts.map(take)
  }
  if (number === 0) throw new Error('is empty')
  if (number !== rows + 1 || rest !== '') throw new Error(`has ${number - 1} whole rows, but its head says ${rows}`)
}
