import { type Corrupt, corrupt } from '@snippets/domain/errors.js'
import { type Id, idFrom } from '@snippets/domain/id.js'
import type { TextField } from '@snippets/domain/rules.js'
import type { Instant, Snippet } from '@snippets/domain/snippet.js'
import { parseText, type Text } from '@snippets/domain/text.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { isSome } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { Document } from 'mongodb'

/** How a snippet is stored. The driver writes a bigint as int64, a Date as date and a small whole number as int32. */
export type SnippetDocument = Readonly<{
  _id: bigint
  title: string
  code: string
  language: string
  created_at: Date
  version: number
}>

export type UserDocument = Readonly<{ _id: bigint; username: string }>

export const snippetDocument = ({ id, title, code, language, created_at, version }: Snippet): SnippetDocument => ({
  _id: id,
  title,
  code,
  language,
  created_at: new Date(created_at),
  version,
})

export const userDocument = ({ id, username }: User): UserDocument => ({ _id: id, username })

const decoder = <A>(name: string, parse: (stored: unknown) => A | undefined) =>
  new t.Type<A, A, unknown>(
    name,
    (stored): stored is A => parse(stored) !== undefined,
    (stored, context) => {
      const value = parse(stored)
      return value === undefined ? t.failure(stored, context) : t.success(value)
    },
    t.identity,
  )

const id = decoder('id', (stored): Id | undefined => {
  const parsed = typeof stored === 'bigint' ? idFrom(stored) : undefined
  return parsed !== undefined && isSome(parsed) ? parsed.value : undefined
})

const text = <F extends TextField>(field: F) =>
  decoder(field, (stored): Text<F> | undefined => {
    const parsed = parseText(field)(stored)
    return E.isRight(parsed) ? parsed.right : undefined
  })

const instant = decoder('date', (stored): Instant | undefined =>
  stored instanceof Date && !Number.isNaN(stored.getTime()) ? stored.getTime() : undefined,
)

const version = decoder('version', (stored): number | undefined =>
  Number.isSafeInteger(stored) && Number(stored) >= 1 ? Number(stored) : undefined,
)

const storedSnippet = t.type({
  _id: id,
  title: text('title'),
  code: text('code'),
  language: text('language'),
  created_at: instant,
  version,
})

const storedUser = t.type({ _id: id, username: t.string })

/** Names the fields at fault, not their values: a value may be long, or private. */
const faultOf =
  (kind: string, { _id }: Document) =>
  (errors: t.Errors): Corrupt => {
    const fields = errors.map(({ context }) => context.map(({ key }) => key).join('')).join(', ')
    return corrupt(new Error(`${kind} ${String(_id)} is stored with a malformed ${fields}`))
  }

export const snippetFrom = (document: Document): E.Either<Corrupt, Snippet> =>
  pipe(
    storedSnippet.decode(document),
    E.bimap(faultOf('snippet', document), ({ _id, title, code, language, created_at, version }) => ({
      id: _id,
      title,
      code,
      language,
      created_at,
      version,
    })),
  )

export const userFrom = (document: Document): E.Either<Corrupt, User> =>
  pipe(
    storedUser.decode(document),
    E.bimap(faultOf('user', document), ({ _id, username }) => ({ id: _id, username })),
  )
