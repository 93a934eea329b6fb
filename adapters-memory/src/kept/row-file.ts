import { type Corrupt, corrupt } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { FirstCreation } from '@snippets/domain/retry-key.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { decodeHead, emptyHead, encodeHead, type Head } from './head.js'
import { headKey, idOfKey, type RowKind, rangeOf, retryKeyOf, retryRange, rowKey } from './keys.js'
import { type Level, openLevel } from './level.js'
import { damaged, openingFailure } from './opening-failure.js'
import { decodeFirst, decodeSnippet, decodeUser, hashOf, hashOfFirst } from './row-codec.js'

/** The text of a row, as it is stored under its key. Undefined deletes the row. */
export type RowChange = Readonly<{ key: Uint8Array; text: string | undefined }>

/** Rows that were read together, and the exclusive or of their hashes. */
export type Batch<A> = Readonly<{ rows: readonly A[]; sum: number }>

/** The key of a creation that can be repeated, and what it created. */
export type KeptKey = Readonly<{ key: string; first: FirstCreation }>

/** Rows in a directory. Whoever has it open is the only one. */
export type RowFile = Readonly<{
  /** The head as it is stored. */
  readHead: () => Promise<E.Either<string, Head>>
  /** Writes all of it or nothing, but does not wait for the disk. Rejects when nothing was written. */
  write: (changes: readonly RowChange[], head: Head) => Promise<void>
  /** Resolves when everything that was written before is on the disk. */
  sync: (head: Head) => Promise<void>
  /** The texts of rows; undefined for those that do not exist. */
  textsOf: (kind: RowKind, ids: readonly bigint[]) => Promise<readonly (string | undefined)[]>
  snippets: () => AsyncGenerator<E.Either<Corrupt, Batch<Snippet>>>
  users: () => AsyncGenerator<E.Either<Corrupt, Batch<User>>>
  keys: () => AsyncGenerator<E.Either<Corrupt, Batch<KeptKey>>>
  close: () => Promise<void>
}>

export type RowFileOptions = Readonly<{
  location: string
  /** Whether to make an empty one. An existing one that lost its files would otherwise become empty. */
  create: boolean
  mark: CloseMark
}>

/**
 * Remembers how many groups of writes there were at the last clean close. LevelDB takes damage at the end of its log for a
 * write that was interrupted, but a directory with fewer groups than that has lost some.
 */
export type CloseMark = Readonly<{
  /** 0 when there was none yet. Undefined when what was written cannot be read. */
  read: () => Promise<number | undefined>
  write: (groups: number) => Promise<void>
}>

const batchSize = 1000

/** Left is a sentence without its subject, the name of the directory. */
export const openRowFile = async (options: RowFileOptions): Promise<E.Either<string, RowFile>> => {
  try {
    const level = await openLevel(options.location, options.create)
    const file = rowFile(level, options.mark)
    const head = await prepareHead(file, level, options.mark)
    if (E.isLeft(head)) {
      await level.close()
      return head
    }
    return E.right(file)
  } catch (error) {
    return E.left(openingFailure(error))
  }
}

const rowFile = (level: Level, mark: CloseMark): RowFile => ({
  ...heads(level, mark),
  textsOf: (kind, ids) => level.getMany(ids.map(id => rowKey(kind, id))),
  snippets: () => readRows(level, rangeOf('snippet'), byId(decodeSnippet), hashOfRow),
  users: () => readRows(level, rangeOf('user'), byId(decodeUser), hashOfRow),
  keys: () => readRows(level, retryRange, decodeKey, ({ key }, text) => hashOfFirst(key, text)),
})

/** Every write takes its head along. */
const heads = (level: Level, mark: CloseMark): Pick<RowFile, 'readHead' | 'write' | 'sync' | 'close'> => {
  const putHead = (head: Head) => ({ type: 'put', key: headKey, value: encodeHead(head) }) as const
  let latest: Head | undefined
  const sync = async (head: Head): Promise<void> => {
    await level.batch([putHead(head)], { sync: true })
    latest = head
  }
  /** Where nothing was written, a damaged directory stays as it is, and so does the mark. */
  const syncLatest = async (): Promise<number | undefined> => {
    if (latest !== undefined) await sync(latest)
    return latest?.groups
  }
  return {
    readHead: async () => {
      const text = await level.get(headKey)
      return text === undefined ? E.left('is damaged: its head is missing') : decodeHead(text)
    },
    write: async (changes, head) => {
      await level.batch([...changes.map(operationOf), putHead(head)])
      latest = head
    },
    sync,
    close: async () => {
      const groups = await syncLatest().catch(() => undefined)
      await level.close()
      // without it the older mark stays, which asks for less
      if (groups !== undefined) await mark.write(groups).catch(() => {})
    },
  }
}

const operationOf = ({ key, text }: RowChange) =>
  text === undefined ? ({ type: 'del', key } as const) : ({ type: 'put', key, value: text } as const)

/** A new directory gets its head before anything else. */
const prepareHead = async (file: RowFile, level: Level, mark: CloseMark): Promise<E.Either<string, Head>> => {
  const [first] = await level.keys({ limit: 1 }).all()
  if (first === undefined) await file.sync(emptyHead)
  const head = await file.readHead()
  if (E.isLeft(head)) return head
  const groups = await mark.read()
  if (groups === undefined) return E.left(damaged('its file closed cannot be read'))
  const lost = groups - head.right.groups
  return lost > 0 ? E.left(damaged(`its last ${lost} groups of writes are missing`)) : head
}

const hashOfRow = ({ id }: Readonly<{ id: Id }>, text: string): number => hashOf(id, text)

type Decode<A> = (key: Uint8Array, text: string) => E.Either<Corrupt, A>

const byId =
  <A>(decode: (id: Id, text: string) => E.Either<Corrupt, A>): Decode<A> =>
  (key, text) => {
    const id = idOfKey(key)
    return O.isNone(id) ? E.left(corrupt(new Error('a row is stored under a malformed id'))) : decode(id.value, text)
  }

const decodeKey: Decode<KeptKey> = (key, text) => {
  const first = decodeFirst(text)
  return E.isLeft(first) ? first : E.right({ key: retryKeyOf(key), first: first.right })
}

async function* readRows<A>(
  level: Level,
  range: ReturnType<typeof rangeOf> | typeof retryRange,
  decode: Decode<A>,
  hash: (row: A, text: string) => number,
): AsyncGenerator<E.Either<Corrupt, Batch<A>>> {
  const iterator = level.iterator({ ...range, fillCache: false, highWaterMarkBytes: 256 * 1024 })
  const read = () => {
    const reading = iterator.nextv(batchSize)
    // whoever awaits it sees the failure; nobody does after a row that cannot be read
    reading.catch(() => {})
    return reading
  }
  try {
    for (let next = read(); ; ) {
      const entries = await next
      if (entries.length === 0) return
      // LevelDB reads in a thread of its own meanwhile
      next = read()
      const batch = decodeBatch(entries, decode, hash)
      yield batch
      if (E.isLeft(batch)) return
    }
  } finally {
    await iterator.close()
  }
}

const decodeBatch = <A>(
  entries: readonly (readonly [Uint8Array, string])[],
  decode: Decode<A>,
  hash: (row: A, text: string) => number,
): E.Either<Corrupt, Batch<A>> => {
  let sum = 0
  const rows: A[] = []
  for (const [key, text] of entries) {
    const row = decode(key, text)
    if (E.isLeft(row)) return row
    rows.push(row.right)
    sum ^= hash(row.right, text)
  }
  return E.right({ rows, sum })
}
