import { storageFull, unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { snippetStore } from '../snippet-store.js'
import type { SnippetTable } from '../snippet-table.js'
import type { GroupCommit } from './group-commit.js'
import type { WriteFailure } from './kept-file.js'
import { isDiskFull } from './level.js'
import type { PendingGroup } from './pending-group.js'

/** Reads as a store in memory does; a write is answered, and can be read, once it is on the disk. */
export const keptStore = (table: SnippetTable, commit: GroupCommit): SnippetStore => {
  const { get, page, all } = snippetStore(table)
  return {
    get,
    page,
    all,
    create: draft => written(commit, group => group.create(draft), orFull),
    createOnce: (draft, retry) => written(commit, group => group.createOnce(draft, retry), orFull),
    update: (id, changes, expected) => written(commit, group => group.update(id, changes, expected), orFull),
    delete: (id, expected) => written(commit, group => group.delete(id, expected), failed),
  }
}

const failed = ({ outcome, cause }: WriteFailure) => unavailable(outcome, cause)

/** A write that adds nothing is not told that there is no room for what it adds. */
const orFull = (failure: WriteFailure) =>
  failure.outcome === 'unapplied' && isDiskFull(failure.cause) ? storageFull : failed(failure)

const written =
  <E, F, A>(
    commit: GroupCommit,
    decide: (group: PendingGroup) => E.Either<E, A>,
    toError: (failure: WriteFailure) => F,
  ): TaskEither<E | F, A> =>
  () =>
    new Promise(resolve => {
      let decided: E.Either<E | F, A>
      commit.add({
        decide: group => {
          decided = decide(group)
        },
        answer: () => resolve(decided),
        fail: failure => resolve(E.left(toError(failure))),
      })
    })
