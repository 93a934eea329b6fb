import { type Id, idFrom, maxId } from '@snippets/domain/id.js'
import type { Option } from 'fp-ts/lib/Option.js'

/** The first byte of a key says what it holds. An id is 8 bytes, big-endian: LevelDB sorts bytes, so rows come by id. */
const tags = { head: 0, snippet: 1, user: 2 } as const

export type RowKind = 'snippet' | 'user'

export const headKey = new Uint8Array([tags.head])

export const rowKey = (kind: RowKind, id: bigint): Uint8Array => {
  const key = new Uint8Array(9)
  key[0] = tags[kind]
  new DataView(key.buffer).setBigUint64(1, id)
  return key
}

export const idOfKey = (key: Uint8Array): Option<Id> =>
  idFrom(key.length === 9 ? new DataView(key.buffer, key.byteOffset).getBigUint64(1) : 0n)

export const rangeOf = (kind: RowKind): Readonly<{ gte: Uint8Array; lte: Uint8Array }> => ({
  gte: rowKey(kind, 0n),
  lte: rowKey(kind, maxId),
})
