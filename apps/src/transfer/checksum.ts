import { createHash } from 'node:crypto'
import type { Outcome, Row, RowSource } from '@snippets/domain/old-row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { rowLine } from './row-lines.js'

/** How many rows there were, and a checksum over all of them in their order. */
export type Checked = Readonly<{ count: number; checksum: string }>

export type Checksum = Readonly<{ add: (rows: readonly Row[]) => void; result: () => Checked }>

export const checksum = (): Checksum => {
  const hash = createHash('sha256')
  let count = 0
  return {
    add: rows => {
      count += rows.length
      for (const row of rows) hash.update(`${rowLine(row)}\n`)
    },
    result: () => ({ count, checksum: hash.copy().digest('hex') }),
  }
}

export const checksumOf = async (source: RowSource, onRows: (count: number) => void): Outcome<Checked> => {
  const sum = checksum()
  for await (const rows of source.rows()) {
    if (E.isLeft(rows)) return rows
    sum.add(rows.right)
    onRows(rows.right.length)
  }
  return E.right(sum.result())
}
