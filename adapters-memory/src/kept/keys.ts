import { type Id, idFrom, maxId } from '@snippets/domain/id.js'
import type * as O from 'fp-ts/lib/Option.js'

/** The first byte of a key says what it holds. An id is 8 bytes, big-endian: LevelDB sorts bytes, so rows come by id. */
const tags = { head: 0, snippet: 1, user: 2, retry: 3, end: 4 } as const

export type RowKind = 'snippet' | 'user'

export const headKey = new Uint8Array([tags.head])

export const rowKey = (kind: RowKind, id: bigint): Uint8Array => {
  const key = new Uint8Array(9)
  key[0] = tags[kind]
  new DataView(key.buffer).setBigUint64(1, id)
  return key
}

export const idOfKey = (key: Uint8Array): O.Option<Id> =>
  idFrom(key.length === 9 ? new DataView(key.buffer, key.byteOffset).getBigUint64(1) : 0n)

/** The key of a creation that can be repeated: its characters, 2 bytes each. */
export const retryRowKey = (key: string): Uint8Array => {
  const bytes = new Uint8Array(1 + 2 * key.length)
  bytes[0] = tags.retry
  const view = new DataView(bytes.buffer)
  for (let i = 0; i < key.length; i++) view.setUint16(1 + 2 * i, key.charCodeAt(i))
  return bytes
}

export const retryKeyOf = (bytes: Uint8Array): string => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let key = ''
  for (let i = 1; i + 1 < bytes.length; i += 2) key += String.fromCharCode(view.getUint16(i))
  return key
}

export const retryRange = { gte: new Uint8Array([tags.retry]), lt: new Uint8Array([tags.end]) }

export const rangeOf = (kind: RowKind): Readonly<{ gte: Uint8Array; lte: Uint8Array }> => ({
  gte: rowKey(kind, 0n),
  lte: rowKey(kind, maxId),
})
