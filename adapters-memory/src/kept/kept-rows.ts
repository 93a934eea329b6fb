import type { Corrupt } from '@snippets/domain/errors.js'
import { idFrom, maxId } from '@snippets/domain/id.js'
import type { Outcome, Row, RowTarget } from '@snippets/domain/old-row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Head } from './head.js'
import { rowKey } from './keys.js'
import { openingFailure } from './opening-failure.js'
import { decodeSnippet, decodeUser, encodeRow, hashOf } from './row-codec.js'
import { type Batch, openRowFile, type RowFile, type RowFileOptions } from './row-file.js'
import { lossOf, type Tally } from './tally.js'

/** The rows of a directory. Nobody else has it open meanwhile. */
export const openKeptRows = async (options: RowFileOptions): Outcome<RowTarget> => {
  const file = await openRowFile(options)
  if (E.isLeft(file)) return file
  const head = await file.right.readHead()
  if (E.isLeft(head)) {
    await file.right.close()
    return head
  }
  return E.right(keptRows(file.right, head.right))
}

const keptRows = (file: RowFile, opened: Head): RowTarget => {
  let head = opened
  const write = async (next: Head, send: () => Promise<void>): Outcome<void> =>
    attempt(async () => {
      await send()
      head = next
    })
  return {
    summary: () =>
      attempt(async () => ({ lastId: head.lastId, snippets: head.snippets, isEmpty: !(await hasRows(file, head)) })),
    rows: () => allRows(file, head),
    find: rows => findRows(file, rows),
    insert: rows => {
      const next = headWith(head, rows)
      const changes = rows.map(({ kind, row }) => ({ key: rowKey(kind, row.id), text: encodeRow(row) }))
      return write(next, () => file.write(changes, next))
    },
    raiseLastId: id => {
      if (id > maxId) return Promise.resolve(E.left(`cannot keep ${id} as its last id: the largest id is ${maxId}`))
      if (id <= head.lastId) return Promise.resolve(E.right(undefined))
      const next = { ...head, lastId: id }
      return write(next, () => file.sync(next))
    },
    finish: () => write(head, () => file.sync(head)),
    close: () => file.close(),
  }
}

const attempt = async <A>(work: () => Promise<A>): Outcome<A> => {
  try {
    return E.right(await work())
  } catch (error) {
    return E.left(openingFailure(error))
  }
}

const headWith = (head: Head, rows: readonly Row[]): Head => {
  let { lastId, snippets, sum } = head
  for (const { kind, row } of rows) {
    if (kind !== 'snippet') continue
    snippets++
    sum ^= hashOf(row.id, encodeRow(row))
    if (row.id > lastId) lastId = row.id
  }
  return { ...head, lastId, snippets, sum, groups: head.groups + 1 }
}

const hasRows = async (file: RowFile, { snippets }: Head): Promise<boolean> => {
  if (snippets > 0) return true
  for await (const _ of file.users()) return true
  return false
}

/** Ends with what is missing of the snippets, if any is. */
async function* allRows(file: RowFile, head: Head): AsyncGenerator<E.Either<string, readonly Row[]>> {
  try {
    yield* asRows(file.users(), row => ({ kind: 'user', row }))
    const snippets = yield* asRows(file.snippets(), row => ({ kind: 'snippet', row }))
    let keys: Tally = { count: 0, sum: 0 }
    for await (const batch of file.keys()) {
      if (E.isLeft(batch)) return yield unreadable(batch.left)
      keys = added(keys, batch.right)
    }
    const loss = lossOf(head, snippets, keys)
    if (loss !== undefined) yield E.left(loss)
  } catch (error) {
    yield E.left(openingFailure(error))
  }
}

async function* asRows<A>(
  batches: AsyncIterable<E.Either<Corrupt, Batch<A>>>,
  toRow: (row: A) => Row,
): AsyncGenerator<E.Either<string, readonly Row[]>, Tally> {
  let tally: Tally = { count: 0, sum: 0 }
  for await (const batch of batches) {
    if (E.isLeft(batch)) yield unreadable(batch.left)
    else {
      yield E.right(batch.right.rows.map(toRow))
      tally = added(tally, batch.right)
    }
  }
  return tally
}

const added = ({ count, sum }: Tally, batch: Batch<unknown>): Tally => ({
  count: count + batch.rows.length,
  sum: sum ^ batch.sum,
})

const unreadable = ({ cause }: Corrupt) => E.left(`has a row that cannot be read (${causeOf(cause)})`)

const causeOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const findRows = async (file: RowFile, rows: readonly Row[]): Outcome<readonly Row[]> => {
  const found: Row[] = []
  for (const kind of ['user', 'snippet'] as const) {
    const ids = rows.filter(row => row.kind === kind).map(({ row }) => row.id)
    const texts = await attempt(() => file.textsOf(kind, ids))
    if (E.isLeft(texts)) return texts
    for (const [i, text] of texts.right.entries()) {
      const id = idFrom(ids[i] ?? 0n)
      if (text === undefined || !O.isSome(id)) continue
      if (kind === 'user') {
        const row = decodeUser(id.value, text)
        if (E.isLeft(row)) return E.left(causeOf(row.left.cause))
        found.push({ kind, row: row.right })
      } else {
        const row = decodeSnippet(id.value, text)
        if (E.isLeft(row)) return E.left(causeOf(row.left.cause))
        found.push({ kind, row: row.right })
      }
    }
  }
  return E.right(found)
}
