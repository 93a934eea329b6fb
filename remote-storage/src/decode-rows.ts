import { type Corrupt, corrupt } from '@snippets/domain/ports/errors.js'
import { reasonsOf } from '@snippets/domain/values/codec.js'
import { type Id, idCodec } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as t from 'io-ts'
import { LoggableError } from './redaction.js'

/** A row as the driver of a database returns it. A valid id is a bigint. */
type DatabaseRow = Readonly<Record<string, unknown>>

export type Decode<A, Row = DatabaseRow> = (row: Row) => E.Either<Corrupt, A>

const withId = t.type({ id: idCodec })

/** Creates a decoder of rows. Errors name the malformed fields without their values, which may be private. */
export const decodeWith =
  <A>(entity: t.Decoder<unknown, A>): Decode<A & Readonly<{ id: Id }>> =>
  ({ id: storedId, ...fields }) =>
    pipe(
      withId.decode({ id: storedId }),
      E.chain(({ id }) => E.map((decoded: A) => ({ ...decoded, id }))(entity.decode(fields))),
      E.mapLeft(errors => {
        const names = reasonsOf(errors).map(({ name }) => name)
        const id = typeof storedId === 'bigint' || typeof storedId === 'number' ? storedId : 'without a numeric id'
        return corrupt(new LoggableError(`${entity.name} ${id} is stored with a malformed ${names.join(', ')}`))
      }),
    )

/**
 * Creates a decoder of the rows of a list. It leaves out corrupt rows, so that one of them does not fail the list, and
 * calls `onCorrupt` for each.
 */
export const decodeRowsWith =
  <A, Row = DatabaseRow>(decode: Decode<A, Row>, onCorrupt: (cause: unknown) => void) =>
  (rows: readonly Row[]): readonly A[] => {
    const { left, right } = RA.partitionMap(decode)(rows)
    for (const { cause } of left) onCorrupt(cause)
    return right
  }
