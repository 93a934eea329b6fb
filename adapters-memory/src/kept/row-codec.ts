import { codec, faultsOf, type Reason } from '@snippets/domain/codec.js'
import { type Corrupt, corrupt } from '@snippets/domain/errors.js'
import { type Id, parseId } from '@snippets/domain/id.js'
import type { FirstCreation } from '@snippets/domain/retry-key.js'
import { contentFieldNames, contentFields, type Snippet } from '@snippets/domain/snippet.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { RowKind } from './keys.js'

const integer = (min: number) =>
  codec(
    'integer',
    (stored): E.Either<Reason, number> =>
      typeof stored === 'number' && Number.isSafeInteger(stored) && stored >= min
        ? E.right(stored)
        : E.left({ code: 'malformed', message: 'is malformed' }),
  )

const id = codec(
  'id',
  (stored): E.Either<Reason, Id> => {
    const malformed = (): Reason => ({ code: 'malformed', message: 'is malformed' })
    return typeof stored === 'string' ? E.fromOption(malformed)(parseId(stored)) : E.left(malformed())
  },
  String,
)

/** The largest time that a Date can hold, in both directions. */
const farthest = 8_640_000_000_000_000

const values = {
  snippet: t.strict({ ...contentFields, created_at: integer(-farthest), version: integer(1) }),
  user: t.strict({ username: t.string }),
  first: t.strict({ id, created_at: integer(-farthest), fingerprint: t.string }),
}

const names = [...contentFieldNames, 'created_at', 'version', 'username']

/** A row without its id, which is its key. Equal rows have equal texts, whatever the order of their fields. */
export const encodeRow = (row: Snippet | User): string => JSON.stringify(row, names)

const decode = <A>(name: string, value: t.Type<A, unknown>, text: string): E.Either<Corrupt, A> => {
  const parsed = parse(text)
  const decoded = value.decode(parsed)
  if (E.isRight(decoded)) return decoded
  const faults = parsed === undefined ? ['text'] : faultsOf(decoded.left).map(({ name }) => name)
  return E.left(corrupt(new Error(`${name} is stored with a malformed ${faults.join(', ')}`)))
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const decodeWith =
  <A extends object>(kind: RowKind, value: t.Type<A, unknown>) =>
  (id: Id, text: string): E.Either<Corrupt, A & Readonly<{ id: Id }>> => {
    const parsed = parse(text)
    // to decode what is well-formed would only copy it, which takes as long as the rest
    if (value.is(parsed)) return E.right({ id, ...parsed })
    const decoded = decode(`${kind} ${id}`, value, text)
    return E.isLeft(decoded) ? decoded : E.right({ id, ...decoded.right })
  }

export const decodeSnippet = decodeWith('snippet', values.snippet)
export const decodeUser = decodeWith('user', values.user)

/** What is kept under a key. */
export const encodeFirst = (first: FirstCreation): string => JSON.stringify(values.first.encode(first))
export const decodeFirst = (text: string): E.Either<Corrupt, FirstCreation> => decode('a key', values.first, text)

/** FNV-1a over the id and the text. LevelDB is not told to verify what it reads, so a sum of these does. */
export const hashOf = (id: bigint, text: string): number => {
  let hash = 0x811c9dc5
  hash = Math.imul(hash ^ Number(id & 0xffffffffn), 0x01000193)
  hash = Math.imul(hash ^ Number(id >> 32n), 0x01000193)
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash ^ (hash >>> 15)
}

/** As 0 is the id of no snippet, a key does not have the hash of one. */
export const hashOfFirst = (key: string, text: string): number => hashOf(0n, `${key} ${text}`)
