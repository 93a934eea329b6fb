import { type Content, draftOf } from '@snippets/domain/entities/snippet.js'
import { createOnceErrors, type Tagged } from '@snippets/domain/ports/errors.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports/ports.js'
import type { Created, RetryKey } from '@snippets/domain/ports/retry-key.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { oneAtATime } from './one-at-a-time.js'

export const createSnippetErrors = [...createOnceErrors, 'KeyInUse'] as const
export type CreateSnippetError = Tagged<(typeof createSnippetErrors)[number]>

export type Ports = Readonly<{ snippets: SnippetStore; users: UserStore; clock: Clock }>

/** What a caller can ask of the service, one verb each. Driving adapters see these, never the ports. */
export type UseCases = Readonly<{
  /**
   * With a key, creates at the first request with it and gives its outcome again to all that repeat it within a day.
   * `KeyInUse` while another request with the key is under way.
   */
  createSnippet: (content: Content, retry: O.Option<RetryKey>) => TE.TaskEither<CreateSnippetError, Created>
  retrieveSnippet: SnippetStore['get']
  /** Sets the named fields; with every field named it replaces the snippet. */
  updateSnippet: SnippetStore['update']
  deleteSnippet: SnippetStore['delete']
  pageSnippets: SnippetStore['page']
  streamSnippets: SnippetStore['all']
  retrieveUser: UserStore['get']
  pageUsers: UserStore['page']
}>

/**
 * Creating adds the time and lets a key be under way once; every other verb is one atomic port operation as it stands.
 * The layer exists so that a rule that spans operations has a home, and so that a port can change without its callers.
 */
export const useCases = ({ snippets, users, clock }: Ports): UseCases => {
  const createOnce = oneAtATime(snippets.createOnce)
  return {
    createSnippet: (content, retry) =>
      pipe(
        retry,
        O.match(
          (): TE.TaskEither<CreateSnippetError, Created> =>
            pipe(
              snippets.create(draftOf(content, clock.now())),
              TE.map(item => ({ item, isReplay: false })),
            ),
          key => createOnce(draftOf(content, clock.now()), key),
        ),
      ),
    retrieveSnippet: snippets.get,
    updateSnippet: snippets.update,
    deleteSnippet: snippets.delete,
    pageSnippets: snippets.page,
    streamSnippets: snippets.all,
    retrieveUser: users.get,
    pageUsers: users.page,
  }
}
