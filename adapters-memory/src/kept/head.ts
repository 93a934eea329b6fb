import type { Reason } from '@snippets/domain/codec.js'
import { codec } from '@snippets/domain/codec.js'
import { maxId } from '@snippets/domain/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'

/** The layout of the directory. A change that older versions of the service cannot read adds 1. */
const format = 1

/** What is true of all rows together. It is written with every group of writes, so it always fits them. */
export type Head = Readonly<{
  /** The largest id that was ever assigned. */
  lastId: bigint
  /** How many groups of writes there have been. */
  groups: number
  snippets: number
  /** How many keys of repeatable creations. */
  keys: number
  /** The exclusive or of the hashes of all snippets and keys. */
  sum: number
}>

export const emptyHead: Head = { lastId: 0n, groups: 0, snippets: 0, keys: 0, sum: 0 }

const bigint = codec(
  'bigint',
  (stored): E.Either<Reason, bigint> =>
    typeof stored === 'string' && /^\d{1,19}$/.test(stored) && BigInt(stored) <= maxId
      ? E.right(BigInt(stored))
      : E.left({ code: 'malformed', message: 'is malformed' }),
  String,
)

const headCodec = t.strict({ lastId: bigint, groups: t.number, snippets: t.number, keys: t.number, sum: t.number })

export const encodeHead = (head: Head): string => JSON.stringify({ format, ...headCodec.encode(head) })

/** Left is a sentence without its subject. */
export const decodeHead = (text: string): E.Either<string, Head> => {
  const stored = parse(text)
  if (!t.type({ format: t.number }).is(stored)) return E.left('is damaged: its head is unreadable')
  if (stored.format > format)
    return E.left(
      `was written by a newer version of this service (format ${stored.format}; this one knows ${format}). Start that version`,
    )
  const head = headCodec.decode(stored)
  return E.isLeft(head) ? E.left('is damaged: its head is unreadable') : head
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
