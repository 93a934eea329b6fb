import type { Created, KeyedContent } from '@snippets/domain/entities/idempotency-key.js'
import type { Expectation } from '@snippets/domain/entities/revision.js'
import type { Changes, Content, Snippet } from '@snippets/domain/entities/snippet.js'
import type { User } from '@snippets/domain/entities/user.js'
import type {
  CreateOnceError,
  DeleteError,
  ListError,
  PageError,
  ReadError,
  UpdateError,
} from '@snippets/domain/ports/errors.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports/stores.js'
import type { Page, SnippetQuery, Window } from '@snippets/domain/queries/page.js'
import type { Id } from '@snippets/domain/values/id.js'
import type { Either } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** The operations of the service, with their errors. Routes call these, never the ports of a storage. */
export type UseCases = Readonly<{
  /** Creates a snippet with the current time. A retry with the same key within a day returns the first version. */
  createSnippet: (content: Content, keyed: O.Option<KeyedContent>) => TE.TaskEither<CreateOnceError, Created>
  getSnippet: (id: Id) => TE.TaskEither<ReadError, Snippet>
  updateSnippet: (id: Id, changes: Changes, expected: Expectation) => TE.TaskEither<UpdateError, Snippet>
  deleteSnippet: (id: Id, expected: Expectation) => TE.TaskEither<DeleteError, void>
  pageSnippets: (query: SnippetQuery) => TE.TaskEither<PageError, Page<Snippet>>
  allSnippets: () => AsyncIterable<Either<ListError, readonly Snippet[]>>
  getUser: (id: Id) => TE.TaskEither<ReadError, User>
  pageUsers: (window: Window) => TE.TaskEither<ListError, Page<User>>
}>

type Ports = Readonly<{ snippets: SnippetStore; users: UserStore; clock: Clock }>

/**
 * Creates the use cases from the ports. `createSnippet` and `updateSnippet` add the current time; the others are
 * operations of the ports, unchanged. Rules that span several operations belong here.
 */
export const createUseCases = ({ snippets, users, clock }: Ports): UseCases => ({
  createSnippet: (content, keyed) => {
    const draft = { created_at: clock.now(), ...content }
    if (O.isSome(keyed)) return snippets.createOnce(draft, keyed.value)
    return pipe(
      snippets.create(draft),
      TE.map(item => ({ item, isReplay: false })),
    )
  },
  getSnippet: snippets.get,
  updateSnippet: (id, changes, expected) => snippets.update(id, changes, expected, clock.now()),
  deleteSnippet: snippets.delete,
  pageSnippets: snippets.page,
  allSnippets: snippets.all,
  getUser: users.get,
  pageUsers: users.page,
})
