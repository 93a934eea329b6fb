import type { Created, IdempotencyKey } from '@snippets/domain/entities/idempotency-key.js'
import type { Expectation } from '@snippets/domain/entities/revision.js'
import type { Changes, Content, Snippet } from '@snippets/domain/entities/snippet.js'
import type { CreateOnceError, UpdateError } from '@snippets/domain/ports/errors.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports/stores.js'
import type { Id } from '@snippets/domain/values/id.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

type Ports = Readonly<{ snippets: SnippetStore; users: UserStore; clock: Clock }>

/** The operations of the service. Routes call these, never the ports. */
export type UseCases = ReturnType<typeof useCases>

/**
 * Creates the use cases from the ports. `createSnippet` and `updateSnippet` add the current time; the others are
 * operations of the ports, unchanged. Rules that span several operations belong here.
 */
export const useCases = ({ snippets, users, clock }: Ports) => ({
  /**
   * Creates a snippet with the current time. A retry with the same key within a day gets the snippet's first version.
   */
  createSnippet: (content: Content, key: O.Option<IdempotencyKey>): TE.TaskEither<CreateOnceError, Created> => {
    const draft = { created_at: clock.now(), ...content }
    if (O.isSome(key)) return snippets.createOnce(draft, key.value)
    return pipe(
      snippets.create(draft),
      TE.map(item => ({ item, isReplay: false })),
    )
  },
  retrieveSnippet: snippets.get,
  /** Sets the fields in `changes`. Changes of every field replace the snippet. */
  updateSnippet: (id: Id, changes: Changes, expected: Expectation): TE.TaskEither<UpdateError, Snippet> =>
    snippets.update(id, changes, expected, clock.now()),
  deleteSnippet: snippets.delete,
  pageSnippets: snippets.page,
  allSnippets: snippets.all,
  retrieveUser: users.get,
  pageUsers: users.page,
})
