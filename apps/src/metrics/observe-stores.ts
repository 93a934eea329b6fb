import type { ListError, StorageError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Stores } from './metrics.js'

/** Takes a completed operation of a store. Its result is `ok`, or the kind of its error. */
type ObserveOperation = (operation: string, result: string, seconds: number) => void

/** Wraps the stores: calls `observe` when an operation ends. */
export const observeStores = ({ snippets, users }: Stores, observe: ObserveOperation): Stores => {
  const timed =
    <Err extends StorageError, A>(operation: string, task: TaskEither<Err, A>): TaskEither<Err, A> =>
    async () => {
      const started = performance.now()
      const result = await task()
      observe(operation, resultLabel(result), (performance.now() - started) / 1000)
      return result
    }
  return {
    snippets: {
      create: draft => timed('snippets.create', snippets.create(draft)),
      createOnce: (draft, keyed) => timed('snippets.create', snippets.createOnce(draft, keyed)),
      get: id => timed('snippets.get', snippets.get(id)),
      update: (...args) => timed('snippets.update', snippets.update(...args)),
      delete: (id, expected) => timed('snippets.delete', snippets.delete(id, expected)),
      page: query => timed('snippets.page', snippets.page(query)),
      all: () => timedBatches(snippets.all(), observe),
    },
    users: {
      get: id => timed('users.get', users.get(id)),
      page: window => timed('users.page', users.page(window)),
    },
  }
}

/** Times each batch alone. The time between batches belongs to the client. */
async function* timedBatches<A>(
  batches: AsyncIterable<E.Either<ListError, A>>,
  observe: ObserveOperation,
): AsyncGenerator<E.Either<ListError, A>> {
  let started = performance.now()
  for await (const batch of batches) {
    observe('snippets.all', resultLabel(batch), (performance.now() - started) / 1000)
    yield batch
    started = performance.now()
  }
}

/** Returns `ok`, or the kind of the error, such as `not-found`. */
const resultLabel = (result: E.Either<StorageError, unknown>): string => {
  if (E.isRight(result)) return 'ok'
  const error = result.left
  if (error._tag === 'Unavailable' && error.outcome === 'unknown') return 'outcome-unknown'
  return error._tag.replace(/\B[A-Z]/g, '-$&').toLowerCase()
}
