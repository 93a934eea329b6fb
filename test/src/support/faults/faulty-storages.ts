import { setTimeout as pause } from 'node:timers/promises'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs, type SnippetStore } from '@snippets/domain/ports/ports.js'
import { type FirstCreation, isExpired, replay } from '@snippets/domain/ports/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

/** Makes a store for each storage that is opened on the same data. */
type StorageFault = () => (snippets: SnippetStore) => SnippetStore

/** Acts before a write answers with `Unavailable`. */
const beforeUnavailable =
  (act: (error: StorageError) => unknown): StorageFault =>
  () =>
  snippets => {
    const changed =
      <L extends StorageError, A>(task: TaskEither<L, A>): TaskEither<L, A> =>
      async () => {
        const answer = await task()
        if (E.isLeft(answer) && answer.left._tag === 'Unavailable') await act(answer.left)
        return answer
      }
    return {
      ...snippets,
      create: draft => changed(snippets.create(draft)),
      createOnce: (draft, retry) => changed(snippets.createOnce(draft, retry)),
      update: (id, changes, expected) => changed(snippets.update(id, changes, expected)),
      delete: (id, expected) => changed(snippets.delete(id, expected)),
    }
  }

/** Correct storages with one fault each, and a test that notices the fault. */
export const faultyStorages: Readonly<Record<string, readonly [fault: StorageFault, test: string]>> = {
  'reports every outcome as unapplied': [
    beforeUnavailable(error => Object.assign(error, { outcome: 'unapplied' })),
    'loses no acknowledged write, repeats no id, and applies no write that it reports as unapplied',
  ],
  'has no deadline': [
    beforeUnavailable(() => pause(maxAnswerMs)),
    'answers every operation within the bound of the port, with a Left for a failure',
  ],
  'throws instead of answering with a Left': [
    beforeUnavailable(() => Promise.reject(new Error('planted'))),
    'answers every operation within the bound of the port, with a Left for a failure',
  ],
  'stores key and snippet in two steps': [
    () => {
      const keys = new Map<string, FirstCreation>()
      return snippets => ({
        ...snippets,
        createOnce: (draft, retry) => async () => {
          const first = keys.get(retry.key)
          if (first !== undefined && !isExpired(first, draft.created_at)) return replay(first, draft, retry)
          const created = await snippets.create(draft)()
          if (E.isRight(created)) keys.set(retry.key, { ...created.right, fingerprint: retry.fingerprint })
          return pipe(
            created,
            E.map(item => ({ item, isReplay: false })),
          )
        },
      })
    },
    'loses no acknowledged write, repeats no id, and applies no write that it reports as unapplied',
  ],
  'ends the process when it fails': [
    beforeUnavailable(() => {
      setImmediate(() => {
        throw new Error('planted')
      })
    }),
    'planted',
  ],
}

/** A correct storage. Concurrent creations get their ids in the reverse of the order in which they were called. */
export const reversedIds = (snippets: SnippetStore): SnippetStore => {
  const waiting: (() => void)[] = []
  const turn = (): Promise<void> =>
    new Promise(resolve => {
      if (waiting.push(resolve) > 1) return
      setImmediate(() => {
        for (const begin of waiting.splice(0).reverse()) begin()
      })
    })
  return { ...snippets, create: draft => async () => turn().then(snippets.create(draft)) }
}
