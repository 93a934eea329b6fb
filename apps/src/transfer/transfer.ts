import { createHash } from 'node:crypto'
import { openKeptRows } from '@snippets/adapters-memory/kept/kept-rows.js'
import { openMongoRows } from '@snippets/adapters-mongo/mongo-rows.js'
import { idFrom } from '@snippets/domain/id.js'
import type { Row, RowStore } from '@snippets/domain/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { hideCredentials } from '../hide-credentials.js'
import { readLineFile, writeLineFile } from './line-file.js'
import { rowLine } from './row-lines.js'

export type TransferOptions = Readonly<{ from: string; to: string; merge: boolean }>

/** Told what is being done, and with how many rows so far. */
export type Progress = (doing: string, rows: number) => void

/** How many rows there are, and a checksum over all of them, whatever their order. */
export type Sum = Readonly<{ rows: number; checksum: bigint }>

const nothing: Sum = { rows: 0, checksum: 0n }

const plus = ({ rows, checksum }: Sum, row: Row): Sum => {
  const hash = createHash('sha256').update(rowLine(row)).digest('hex')
  return { rows: rows + 1, checksum: checksum ^ BigInt(`0x${hash}`) }
}

type Side = Readonly<{ name: string; store: RowStore }>

/** Carries everything over, then reads the target again and compares. Left is a sentence for the operator. */
export const transfer = (options: TransferOptions, progress: Progress): TE.TaskEither<string, Sum> =>
  TE.tryCatch(
    async () => {
      const source = await openSource(options.from)
      try {
        const lastId = await resultOf(source.name, source.store.lastId)
        const target = await openTarget(options.to, source, lastId)
        try {
          // a file is always new
          const before = isFile(options.to) ? nothing : await sumOf(target, progress)
          if (!options.merge && !isFile(options.to) && (before.rows > 0 || (await hasHadIds(target))))
            throw new Error(`${target.name} is not empty. Name another target, or add --merge.`)
          const expected = await copy(source, target, { lastId, before, progress })
          const found = await sumOf(target, progress)
          if (found.rows === expected.rows && found.checksum === expected.checksum) return found
          throw new Error(
            `${target.name} has ${found.rows} rows, but ${expected.rows} were expected, or other ones. Was it written to? Stop that, and run it again with --merge.`,
          )
        } finally {
          await target.store.close()
        }
      } finally {
        await source.store.close()
      }
    },
    error => (error instanceof Error ? error.message : String(error)),
  )

/** Rejects with a whole sentence. */
const resultOf = async <A>(name: string, task: TE.TaskEither<string, A>): Promise<A> => {
  const result = await task()
  if (E.isLeft(result)) throw new Error(`${name} ${hideCredentials(result.left)}.`)
  return result.right
}

const isMongo = (text: string): boolean => /^mongodb(\+srv)?:/i.test(text)
const isFile = (text: string): boolean => /\.(ndjson|jsonl)$/i.test(text)

const sideOf = async (text: string, opening: TE.TaskEither<string, RowStore>): Promise<Side> => {
  const name = hideCredentials(text)
  return { name, store: await resultOf(name, opening) }
}

const openSource = (text: string): Promise<Side> => {
  if (isFile(text)) return sideOf(text, TE.right(readLineFile(text)))
  return sideOf(text, isMongo(text) ? openMongoRows(text) : openKeptRows({ directory: text, mayCreate: false }))
}

const openTarget = async (text: string, source: Side, lastId: bigint): Promise<Side> => {
  if (isFile(text)) return sideOf(text, writeLineFile(text, lastId, (await sumOf(source, () => {})).rows))
  return sideOf(text, isMongo(text) ? openMongoRows(text) : openKeptRows({ directory: text, mayCreate: true }))
}

const hasHadIds = async ({ name, store }: Side): Promise<boolean> => (await resultOf(name, store.lastId)) > 0n

const sumOf = async ({ name, store }: Side, progress: Progress): Promise<Sum> => {
  let sum = nothing
  for await (const rows of store.rows()) {
    sum = (await resultOf(name, async () => rows)).reduce(plus, sum)
    progress('reading', sum.rows)
  }
  return sum
}

const nameOf = ({ kind, row }: Row): string => `${kind} ${row.id}`

/** Returns what the target should hold then. */
const copy = async (
  source: Side,
  { name, store }: Side,
  { lastId, before, progress }: Readonly<{ lastId: bigint; before: Sum; progress: Progress }>,
): Promise<Sum> => {
  // first, so that a service that creates meanwhile takes none of the ids
  const id = idFrom(lastId)
  if (O.isSome(id)) await resultOf(name, store.raiseLastId(id.value))
  let [expected, copied] = [before, 0]
  for await (const batch of source.store.rows()) {
    const rows = await resultOf(source.name, async () => batch)
    const existing = new Map((await resultOf(name, store.add(rows))).map(row => [nameOf(row), rowLine(row)]))
    for (const row of rows) {
      const line = existing.get(nameOf(row))
      if (line === undefined) expected = plus(expected, row)
      else if (line !== rowLine(row))
        throw new Error(`${nameOf(row)} differs between ${source.name} and ${name}. Nothing was overwritten.`)
    }
    copied += rows.length
    progress('copying', copied)
  }
  return expected
}
