import type { Row, RowSource } from '@snippets/domain/old-row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { amount } from './amount.js'
import { readLines } from './read-lines.js'
import { type Footer, type Head, type Line, parseHead, parseLine } from './row-lines.js'

/** Rows from lines of JSON. `open` reads the bytes from their beginning. */
export const lineSource = (open: () => AsyncIterable<Uint8Array>): RowSource => ({
  summary: async () => {
    const head = await firstLine(open)
    return E.isLeft(head) ? head : E.right({ ...head.right, isEmpty: false })
  },
  rows: () => readRows(open()),
  close: async () => {},
})

const firstLine = async (open: () => AsyncIterable<Uint8Array>): Promise<E.Either<string, Head>> => {
  for await (const lines of readLines(open())) {
    if (E.isLeft(lines)) return lines
    const [first] = lines.right
    if (first === undefined) continue
    const head = parseHead(first)
    return E.isLeft(head) ? E.left(`line 1 ${head.left}`) : head
  }
  return E.left('is empty')
}

/** Where in a file its reader is. */
type Place = { number: number; last: Row | undefined; count: { user: number; snippet: number }; isOver: boolean }

async function* readRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<E.Either<string, readonly Row[]>> {
  const place: Place = { number: 0, last: undefined, count: { user: 0, snippet: 0 }, isOver: false }
  for await (const lines of readLines(bytes)) {
    if (E.isLeft(lines)) return yield lines
    const rows: Row[] = []
    for (const text of lines.right) {
      place.number++
      if (text.trim() === '' && place.number > 1) continue
      const taken = take(place, text, rows)
      if (taken === undefined) continue
      // what came before it is carried over
      yield E.right(rows)
      return yield E.left(`line ${place.number} ${taken}`)
    }
    if (rows.length > 0) yield E.right(rows)
  }
  if (!place.isOver) yield E.left(`ends after line ${place.number} without its last line, so it has lost its end`)
}

/** Undefined, or what is wrong. */
const take = (place: Place, text: string, rows: Row[]): string | undefined => {
  if (place.number === 1) {
    const head = parseHead(text)
    return E.isLeft(head) ? head.left : undefined
  }
  const line = parseLine(text)
  if (E.isLeft(line)) return line.left
  if (place.isOver) return 'comes after the last line'
  return takeLine(place, line.right, rows)
}

const takeLine = (place: Place, line: Line, rows: Row[]): string | undefined => {
  if (line.kind === 'footer') {
    place.isOver = true
    return complaint(place.count, line.footer)
  }
  if (place.last !== undefined && !isAfter(place.last, line.row))
    return 'is out of order: users come first, and each kind by ascending id'
  place.last = line.row
  place.count[line.row.kind]++
  rows.push(line.row)
  return undefined
}

const isAfter = (last: Row, next: Row): boolean =>
  last.kind === next.kind ? next.row.id > last.row.id : last.kind === 'user'

const complaint = ({ user, snippet }: Place['count'], { users, snippets }: Footer): string | undefined =>
  user === users && snippet === snippets
    ? undefined
    : `says ${amount(users, 'user')} and ${amount(snippets, 'snippet')}, but there are ${user} and ${snippet}: lines were lost or added`
