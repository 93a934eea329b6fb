import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import { type Corrupt, corrupt } from '@snippets/domain/ports/errors.js'
import { faultsOf } from '@snippets/domain/values/codec.js'
import { type Id, idCodec } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import type { Document } from 'mongodb'

/** The driver reads an int64 as a bigint and writes a bigint as an int64. */
const withId = t.type({ id: idCodec })

export type Decode<A> = (document: Document) => E.Either<Corrupt, A>

/** Makes a decoder of documents, which store the `id` of an entity as `_id`. Errors name the malformed fields without their values, which may be private. */
export const decodeWith =
  <A>(entity: t.Decoder<unknown, A>): Decode<A & Readonly<{ id: Id }>> =>
  ({ _id, ...fields }) =>
    pipe(
      withId.decode({ id: _id }),
      E.chain(id => E.map((decoded: A) => ({ ...decoded, ...id }))(entity.decode(fields))),
      E.mapLeft(errors => {
        const names = faultsOf(errors).map(({ name }) => name)
        const id = typeof _id === 'bigint' || typeof _id === 'number' ? _id : 'without a numeric id'
        return corrupt(new LoggableError(`${entity.name} ${id} is stored with a malformed ${names.join(', ')}`))
      }),
    )

/** Called for each malformed row that a list leaves out. */
export type OnMalformed = (cause: unknown) => void

export type DecodeRows<A> = (documents: readonly Document[]) => readonly A[]

/** Makes a decoder of the rows of a list. It leaves out malformed rows, so that one of them does not fail the list. */
export const decodeRowsWith =
  <A>(decode: Decode<A>, onMalformed: OnMalformed): DecodeRows<A> =>
  documents =>
    documents.map(decode).flatMap(decoded => {
      if (E.isRight(decoded)) return [decoded.right]
      onMalformed(decoded.left.cause)
      return []
    })
