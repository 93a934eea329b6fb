import { rowFailure } from '@snippets/domain/ports/errors.js'
import type { RowResult } from '@snippets/domain/ports/row-store.js'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** Runs the work. A rejection becomes a `Left` with its message. */
export const attempt = <A>(work: () => Promise<A>): RowResult<A> =>
  TE.tryCatch(work, error => rowFailure(E.toError(error).message))
