import { type Content, makeDraft } from '@snippets/domain/entities/snippet.js'
import { type CreateOnceError, keyInUse } from '@snippets/domain/ports/errors.js'
import type { Created, IdempotencyKey } from '@snippets/domain/ports/idempotency-key.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

type Ports = Readonly<{ snippets: SnippetStore; users: UserStore; clock: Clock }>

/** The operations of the service. Driving adapters call these, never the ports. */
export type UseCases = Readonly<{
  /**
   * Creates a snippet. With a key, the first request creates the snippet, and a retry within a day returns its first
   * version. Returns `KeyInUse` while another request with the key is in flight, in this process or another.
   */
  createSnippet: (content: Content, key: O.Option<IdempotencyKey>) => TE.TaskEither<CreateOnceError, Created>
  retrieveSnippet: SnippetStore['get']
  /** Sets the fields in `changes`. Changes of every field replace the snippet. */
  updateSnippet: SnippetStore['update']
  deleteSnippet: SnippetStore['delete']
  pageSnippets: SnippetStore['page']
  allSnippets: SnippetStore['all']
  retrieveUser: UserStore['get']
  pageUsers: UserStore['page']
}>

/**
 * Creates the use cases from the ports. `createSnippet` sets the time of the snippet and rejects concurrent creations
 * with the same key. Every other use case is one operation of a port. Rules that span several operations belong here.
 */
export const useCases = ({ snippets, users, clock }: Ports): UseCases => {
  const createOnce = rejectConcurrentKeys(snippets)
  return {
    createSnippet: (content, key) => {
      const draft = makeDraft(content, clock.now())
      if (O.isSome(key)) return createOnce(draft, key.value)
      return pipe(
        snippets.create(draft),
        TE.map(item => ({ item, isReplay: false })),
      )
    },
    retrieveSnippet: snippets.get,
    updateSnippet: snippets.update,
    deleteSnippet: snippets.delete,
    pageSnippets: snippets.page,
    allSnippets: snippets.all,
    retrieveUser: users.get,
    pageUsers: users.page,
  }
}

/**
 * Rejects a creation while another creation with the same key is in flight in this process. The storage handles
 * concurrent creations in other processes, and keys of earlier creations.
 */
const rejectConcurrentKeys = ({ createOnce }: SnippetStore): SnippetStore['createOnce'] => {
  const inFlight = new Set<string>()
  return (draft, idempotencyKey) => async () => {
    const { key } = idempotencyKey
    if (inFlight.has(key)) return E.left(keyInUse)
    inFlight.add(key)
    try {
      return await createOnce(draft, idempotencyKey)()
    } finally {
      inFlight.delete(key)
    }
  }
}
