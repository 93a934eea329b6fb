import { precedes, type Row, type RowResult, type RowSource, type RowStore } from '@snippets/domain/ports/row-store.js'
import { idFrom } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { hideCredentials } from '../operator-messages.js'
import { storages } from '../storages/storages.js'
import { createNdjson, ndjsonSource } from './ndjson-file.js'
import { rowLine } from './row-lines.js'

export type TransferOptions = Readonly<{ from: string; to: string; merge: boolean }>

/** An observer of progress, called with the current step and its number of rows so far. */
export type Progress = (step: string, rows: number) => void

type NamedStore<S extends RowSource = RowSource> = Readonly<{ name: string; store: S }>

/** Copies all rows, then compares both sides. Returns the number of rows. Rejects with a message for the operator. */
export const transfer = async ({ from, to, merge }: TransferOptions, progress: Progress): Promise<number> => {
  const source = await open(from, isNdjson(from) ? TE.right(ndjsonSource(from)) : openStore(from, false))
  return thenClose(source, async () => {
    const lastId = await rightOf(source, source.store.lastId)
    const target = await open(
      to,
      isNdjson(to) ? createNdjson(to, lastId, await countOf(source, progress)) : openStore(to, true),
    )
    return thenClose(target, async () => {
      // a file target is new
      if (!merge && !isNdjson(to) && !(await isEmpty(target)))
        throw new Error(`${target.name} is not empty. Name another target, or add --merge.`)
      // before the rows, so that a running service assigns none of their ids
      const id = idFrom(lastId)
      if (O.isSome(id)) await rightOf(target, target.store.raiseLastId(id.value))
      await copy(source, target, progress)
      return compare(source, target, progress)
    })
  })
}

/** Runs the work, then closes the store. An error of the work hides one of the close. */
const thenClose = async <A>(side: NamedStore, work: () => Promise<A>): Promise<A> => {
  const result = await TE.tryCatch(work, error => error)()
  const closed = await side.store.close()
  if (E.isLeft(result)) throw result.left
  rightOrThrow(side, closed)
  return result.right
}

const rowOpeners = Object.values(storages).map(({ rows }) => rows)

/** The kinds of addresses that name a storage. */
export const addressKinds: readonly string[] = rowOpeners.map(({ addressKind }) => addressKind)

const isNdjson = (text: string): boolean => /\.ndjson$/i.test(text)

const openStore = (text: string, mayCreate: boolean): RowResult<RowStore> => {
  const found = rowOpeners.find(({ isAddress }) => isAddress(text))
  return found === undefined
    ? TE.left(`is neither ${addressKinds.join(' nor ')} nor an .ndjson file`)
    : found.open(text, mayCreate)
}

const open = async <S extends RowSource>(text: string, opening: RowResult<S>): Promise<NamedStore<S>> => {
  const name = hideCredentials(text)
  return { name, store: await rightOf({ name }, opening) }
}

type Named = Pick<NamedStore, 'name'>

const rightOrThrow = <A>({ name }: Named, result: E.Either<string, A>): A => {
  if (E.isRight(result)) return result.right
  throw new Error(`${name}: ${hideCredentials(result.left)}.`)
}

const rightOf = async <A>(side: Named, task: RowResult<A>): Promise<A> => rightOrThrow(side, await task())

async function* rowsOf(side: NamedStore): AsyncGenerator<Row> {
  for await (const row of side.store.rows()) yield rightOrThrow(side, row)
}

const countOf = async (source: NamedStore, progress: Progress): Promise<number> => {
  let count = 0
  for await (const _ of rowsOf(source)) progress('counting', ++count)
  return count
}

const isEmpty = async (target: NamedStore): Promise<boolean> => {
  for await (const _ of rowsOf(target)) return false
  return (await rightOf(target, target.store.lastId)) === 0n
}

const batchSize = 500

const copy = async (source: NamedStore, target: NamedStore<RowStore>, progress: Progress): Promise<void> => {
  let [count, batch]: [number, Row[]] = [0, []]
  const addBatch = async (): Promise<void> => {
    await rightOf(target, target.store.add(batch))
    count += batch.length
    batch = []
    progress('copying', count)
  }
  for await (const row of rowsOf(source)) if (batch.push(row) === batchSize) await addBatch()
  await addBatch()
}

/** Finds each row of the source in the target. Both have the same order; the target may have more rows. */
const compare = async (source: NamedStore, target: NamedStore, progress: Progress): Promise<number> => {
  const targetRows = rowsOf(target)
  let count = 0
  try {
    for await (const row of rowsOf(source)) {
      let next = await targetRows.next()
      while (!next.done && precedes(next.value, row)) next = await targetRows.next()
      const which = `${row.kind} ${row.row.id}`
      if (next.done || precedes(row, next.value))
        throw new Error(
          `${which} of ${source.name} is missing in ${target.name}. Did another process write during the transfer? Repeat it with --merge, or to a new file.`,
        )
      if (rowLine(next.value) !== rowLine(row))
        throw new Error(`${which} differs between ${source.name} and ${target.name}. Nothing was overwritten.`)
      progress('comparing', ++count)
    }
    return count
  } finally {
    await targetRows.return(undefined)
  }
}
