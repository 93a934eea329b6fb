import type { Corrupt } from '@snippets/domain/errors.js'
import { type Either, isLeft, left, right } from '@snippets/domain/fp/either.js'
import { isSome } from '@snippets/domain/fp/option.js'
import { idFrom, maxId } from '@snippets/domain/id.js'
import type { Outcome, Row, RowTarget } from '@snippets/domain/row-store.js'
import type { Head } from './head.js'
import { rowKey } from './keys.js'
import { openingFailure } from './opening-failure.js'
import { decodeSnippet, decodeUser, encodeRow, hashOf } from './row-codec.js'
import { type Batch, openRowFile, type RowFile, type RowFileOptions } from './row-file.js'
import { lossOf, type Tally } from './tally.js'

/** The rows of a directory. Nobody else has it open meanwhile. */
export const openKeptRows = async (options: RowFileOptions): Outcome<RowTarget> => {
  const file = await openRowFile(options)
  if (isLeft(file)) return file
  const head = await file.right.readHead()
  if (isLeft(head)) {
    await file.right.close()
    return head
  }
  return right(keptRows(file.right, head.right))
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
      if (id > maxId) return Promise.resolve(left(`cannot keep ${id} as its last id: the largest id is ${maxId}`))
      if (id <= head.lastId) return Promise.resolve(right(undefined))
      const next = { ...head, lastId: id }
      return write(next, () => file.sync(next))
    },
    finish: () => write(head, () => file.sync(head)),
    close: () => file.close(),
  }
}

const attempt = async <A>(work: () => Promise<A>): Outcome<A> => {
  try {
    return right(await work())
  } catch (error) {
    return left(openingFailure(error))
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
async function* allRows(file: RowFile, head: Head): AsyncGenerator<Either<string, readonly Row[]>> {
  try {
    yield* asRows(file.users(), row => ({ kind: 'user', row }))
    const snippets = yield* asRows(file.snippets(), row => ({ kind: 'snippet', row }))
    let keys: Tally = { count: 0, sum: 0 }
    for await (const batch of file.keys()) {
      if (isLeft(batch)) return yield unreadable(batch.left)
      keys = added(keys, batch.right)
    }
    const loss = lossOf(head, snippets, keys)
    if (loss !== undefined) yield left(loss)
  } catch (error) {
    yield left(openingFailure(error))
  }
}

async function* asRows<A>(
  batches: AsyncIterable<Either<Corrupt, Batch<A>>>,
  toRow: (row: A) => Row,
): AsyncGenerator<Either<string, readonly Row[]>, Tally> {
  let tally: Tally = { count: 0, sum: 0 }
  for await (const batch of batches) {
    if (isLeft(batch)) yield unreadable(batch.left)
    else {
      yield right(batch.right.rows.map(toRow))
      tally = added(tally, batch.right)
    }
  }
  return tally
}

const added = ({ count, sum }: Tally, batch: Batch<unknown>): Tally => ({
  count: count + batch.rows.length,
  sum: sum ^ batch.sum,
})

const unreadable = ({ cause }: Corrupt) => left(`has a row that cannot be read (${causeOf(cause)})`)

const causeOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

const findRows = async (file: RowFile, rows: readonly Row[]): Outcome<readonly Row[]> => {
  const found: Row[] = []
  for (const kind of ['user', 'snippet'] as const) {
    const ids = rows.filter(row => row.kind === kind).map(({ row }) => row.id)
    const texts = await attempt(() => file.textsOf(kind, ids))
    if (isLeft(texts)) return texts
    for (const [i, text] of texts.right.entries()) {
      const id = idFrom(ids[i] ?? 0n)
      if (text === undefined || !isSome(id)) continue
      if (kind === 'user') {
        const row = decodeUser(id.value, text)
        if (isLeft(row)) return left(causeOf(row.left.cause))
        found.push({ kind, row: row.right })
      } else {
        const row = decodeSnippet(id.value, text)
        if (isLeft(row)) return left(causeOf(row.left.cause))
        found.push({ kind, row: row.right })
      }
    }
  }
  return right(found)
}
