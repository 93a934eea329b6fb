import { once } from 'node:events'
import type { Writable } from 'node:stream'
import type { Outcome, Row, RowTarget } from '@snippets/domain/old-row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import { lineSource } from './line-source.js'
import { reasonOf } from './reason-of.js'
import { footerLine, headLine, rowLine } from './row-lines.js'

export type LineOutput = Readonly<{
  stream: Writable
  /** Called after the last line. */
  complete: () => Promise<void>
  abandon: () => Promise<void>
  /** Reads what was written. */
  read: () => AsyncIterable<Uint8Array>
}>

/** Rows to lines of JSON. The first call must be `raiseLastId`, which writes the head. */
export const lineTarget = (
  { stream, complete, abandon, read }: LineOutput,
  snippets: number | undefined,
): RowTarget => {
  const count = { user: 0, snippet: 0 }
  const write = writerTo(stream)
  let hasHead = false
  let isComplete = false
  return {
    rows: lineSource(read).rows,
    summary: async () => E.right({ lastId: 0n, snippets: 0, isEmpty: true }),
    find: async () => E.right([]),
    raiseLastId: async lastId => {
      if (hasHead) return E.right(undefined)
      hasHead = true
      return write(`${headLine({ lastId, snippets })}\n`)
    },
    insert: rows => write(rows.map(row => counted(count, row)).join('')),
    finish: () =>
      attempt(async () => {
        stream.write(`${footerLine({ users: count.user, snippets: count.snippet })}\n`)
        await complete()
        isComplete = true
      }),
    close: async () => {
      if (!isComplete) await abandon()
    },
  }
}

const counted = (count: Record<Row['kind'], number>, row: Row): string => {
  count[row.kind]++
  return `${rowLine(row)}\n`
}

/** Waits while the stream is full. */
const writerTo = (stream: Writable): ((text: string) => Outcome<void>) => {
  let failure: unknown
  stream.on('error', error => {
    failure = error
  })
  return text =>
    attempt(async () => {
      if (failure !== undefined) throw failure
      if (!stream.write(text)) await once(stream, 'drain')
    })
}

const attempt = async <A>(work: () => Promise<A>): Outcome<A> => {
  try {
    return E.right(await work())
  } catch (error) {
    return E.left(`cannot be written (${reasonOf(error)})`)
  }
}
