import { makeProblem, type Problem } from '@snippets/adapters-http/response/problems.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { linesOf } from '../transfer/ndjson.js'

const noBackup = makeProblem('unknown-path', {
  detail: 'This storage has no backup here. Set DATA_DIR, or use mongodump on MongoDB.',
})

/** Returns the lines of a backup, once the storage is ready: the rows of a failed directory cannot be read. */
export const backupOf = (ready: TE.TaskEither<string, Storage>): TE.TaskEither<Problem, AsyncIterable<string>> =>
  pipe(
    ready,
    TE.mapLeft(detail => makeProblem('not-ready', { detail })),
    TE.chainEitherK(({ snapshot }) => pipe(snapshot, E.fromNullable(noBackup), E.map(linesOf))),
  )
