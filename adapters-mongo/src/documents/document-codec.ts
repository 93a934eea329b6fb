import { codec, faultsOf, type Reason } from '@snippets/domain/codec.js'
import { type Corrupt, corrupt } from '@snippets/domain/errors.js'
import { type Id, idFrom } from '@snippets/domain/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import type { Document } from 'mongodb'

/** Only the names of malformed fields are reported, so the reason says no more. */
export const malformed: Reason = { code: 'malformed', message: 'is malformed' }

/** The driver reads an int64 as a bigint and writes a bigint as an int64. */
export const storedId = codec(
  'id',
  (stored): E.Either<Reason, Id> =>
    pipe(
      typeof stored === 'bigint' ? idFrom(stored) : O.none,
      E.fromOption(() => malformed),
    ),
  (id): bigint => id,
)

/** A document is an entity whose `id` is stored as `_id`. */
export const documentCodec = <A, O extends Readonly<{ id: bigint }>>(entity: t.Type<A, O, unknown>) =>
  new t.Type<A, Omit<O, 'id'> & Readonly<{ _id: bigint }>, unknown>(
    entity.name,
    entity.is,
    (stored, context) => entity.validate(withId(stored), context),
    value => {
      const { id, ...rest } = entity.encode(value)
      return { _id: id, ...rest }
    },
  )

const withId = (stored: unknown): unknown => {
  if (typeof stored !== 'object' || stored === null || !('_id' in stored)) return stored
  const { _id, ...rest } = stored
  return { ...rest, id: _id }
}

export type Decode<A> = (document: Document) => E.Either<Corrupt, A>

/** io-ts writes to a context only when it reports a fault. */
const noContext: t.Context = []

/**
 * Decodes as the codec does, but picks the fields of a valid document itself: io-ts makes a context and a list for each of
 * them, and copies the document to rename its `_id`, which is half of what decoding takes. What is malformed is left to the
 * codec, for its reasons.
 */
export const decodeWith = <A>(codec: t.Decoder<unknown, A>, fields: Readonly<Record<keyof A, t.Mixed>>): Decode<A> => {
  const stored = Object.entries<t.Mixed>(fields).map(([name, field]) => ({ name, key: storedKey(name), field }))
  return document => {
    const picked: Record<string, unknown> = {}
    for (const { name, key, field } of stored) {
      const value = field.validate(document[key], noContext)
      if (E.isLeft(value)) return decodeSlowly(codec, document)
      picked[name] = value.right
    }
    // every field is as the codec wants it
    return E.right(picked as A)
  }
}

const storedKey = (name: string): string => (name === 'id' ? '_id' : name)

/** The error names the fields at fault, not their values: a value may be long, or private. */
const decodeSlowly = <A>(codec: t.Decoder<unknown, A>, document: Document): E.Either<Corrupt, A> =>
  pipe(
    codec.decode(document),
    E.mapLeft(errors => {
      const fields = faultsOf(errors).map(({ name }) => name)
      return corrupt(new Error(`${codec.name} ${document._id} is stored with a malformed ${fields.join(', ')}`))
    }),
  )

export const decodeAllWith =
  <A>(decode: Decode<A>) =>
  (documents: readonly Document[]): E.Either<Corrupt, readonly A[]> =>
    pipe(documents, E.traverseArray(decode))
