import { type Corrupt, corrupt } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { FirstCreation } from '@snippets/domain/retry-key.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import type { User } from '@snippets/domain/user.js'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { decodeHead, emptyHead, encodeHead, type Head } from './head.js'
import { headKey, idOfKey, type RowKind, rangeOf, retryKeyOf, retryRange, rowKey } from './keys.js'
import { type Level, openLevel } from './level.js'
import { openingFailure } from './opening-failure.js'
import { decodeFirst, decodeSnippet, decodeUser } from './row-codec.js'

/** The text of a row, as it is stored under its key. Undefined deletes the row. */
export type RowChange = Readonly<{ key: Uint8Array; text: string | undefined }>

export type StoredRow<A> = Readonly<{ row: A; text: string }>

/** The key of a creation that can be repeated, and what it created. */
export type KeptKey = Readonly<{ key: string; first: FirstCreation }>

/** Rows in a directory. Whoever has it open is the only one. */
export type RowFile = Readonly<{
  /** The head as it is stored. */
  readHead: () => Promise<Either<string, Head>>
  /** Writes all of it or nothing, but does not wait for the disk. Rejects when nothing was written. */
  write: (changes: readonly RowChange[], head: Head) => Promise<void>
  /** Resolves when everything that was written before is on the disk. */
  sync: (head: Head) => Promise<void>
  /** The texts of rows; undefined for those that do not exist. */
  textsOf: (kind: RowKind, ids: readonly bigint[]) => Promise<readonly (string | undefined)[]>
  snippets: () => AsyncGenerator<Either<Corrupt, readonly StoredRow<Snippet>[]>>
  users: () => AsyncGenerator<Either<Corrupt, readonly StoredRow<User>[]>>
  keys: () => AsyncGenerator<Either<Corrupt, readonly StoredRow<KeptKey>[]>>
  close: () => Promise<void>
}>

export type RowFileOptions = Readonly<{
  location: string
  /** Whether to make an empty one. An existing one that lost its files would otherwise become empty. */
  create: boolean
}>

const batchSize = 1000

/** Left is a sentence without its subject, the name of the directory. */
export const openRowFile = async (options: RowFileOptions): Promise<Either<string, RowFile>> => {
  try {
    const level = await openLevel(options.location, options.create)
    const file = rowFile(level)
    const head = await prepareHead(file, level)
    if (isLeft(head)) {
      await level.close()
      return head
    }
    return right(file)
  } catch (error) {
    return left(openingFailure(error))
  }
}

const rowFile = (level: Level): RowFile => {
  const putHead = (head: Head) => ({ type: 'put', key: headKey, value: encodeHead(head) }) as const
  return {
    readHead: async () => {
      const text = await level.get(headKey)
      return text === undefined ? left('is damaged: its head is missing') : decodeHead(text)
    },
    write: (changes, head) => level.batch([...changes.map(operationOf), putHead(head)]),
    sync: head => level.batch([putHead(head)], { sync: true }),
    textsOf: (kind, ids) => level.getMany(ids.map(id => rowKey(kind, id))),
    snippets: () => readRows(level, rangeOf('snippet'), byId(decodeSnippet)),
    users: () => readRows(level, rangeOf('user'), byId(decodeUser)),
    keys: () => readRows(level, retryRange, decodeKey),
    close: () => level.close(),
  }
}

const operationOf = ({ key, text }: RowChange) =>
  text === undefined ? ({ type: 'del', key } as const) : ({ type: 'put', key, value: text } as const)

/** A new directory gets its head before anything else. */
const prepareHead = async (file: RowFile, level: Level): Promise<Either<string, Head>> => {
  const [first] = await level.keys({ limit: 1 }).all()
  if (first === undefined) await file.sync(emptyHead)
  return file.readHead()
}

type Decode<A> = (key: Uint8Array, text: string) => Either<Corrupt, A>

const byId =
  <A>(decode: (id: Id, text: string) => Either<Corrupt, A>): Decode<A> =>
  (key, text) => {
    const id = idOfKey(key)
    return isNone(id) ? left(corrupt(new Error('a row is stored under a malformed id'))) : decode(id.value, text)
  }

const decodeKey: Decode<KeptKey> = (key, text) => {
  const first = decodeFirst(text)
  return isLeft(first) ? first : right({ key: retryKeyOf(key), first: first.right })
}

async function* readRows<A>(
  level: Level,
  range: ReturnType<typeof rangeOf> | typeof retryRange,
  decode: Decode<A>,
): AsyncGenerator<Either<Corrupt, readonly StoredRow<A>[]>> {
  const iterator = level.iterator({ ...range, fillCache: false, highWaterMarkBytes: 256 * 1024 })
  try {
    for (;;) {
      const entries = await iterator.nextv(batchSize)
      if (entries.length === 0) return
      const rows: StoredRow<A>[] = []
      for (const [key, text] of entries) {
        const row = decode(key, text)
        if (isLeft(row)) return yield row
        rows.push({ row: row.right, text })
      }
      yield right(rows)
    }
  } finally {
    await iterator.close()
  }
}
