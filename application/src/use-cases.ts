import type {
  CreateError,
  CreateOnceError,
  DeleteError,
  KeyInUse,
  ListError,
  ReadError,
  UpdateError,
} from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { Page, SnippetQuery, Window } from '@snippets/domain/page.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { Created, RetryKey } from '@snippets/domain/retry-key.js'
import type { Expectation } from '@snippets/domain/revision.js'
import { type Changes, type Content, draftOf, type Snippet } from '@snippets/domain/snippet.js'
import type { User } from '@snippets/domain/user.js'
import type * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { oneAtATime } from './one-at-a-time.js'

export type Ports = Readonly<{ snippets: SnippetStore; users: UserStore; clock: Clock }>

/** What a caller can ask of the service, one verb each. Driving adapters see these, never the ports. */
export type UseCases = Readonly<{
  createSnippet: (content: Content) => TaskEither<CreateError, Snippet>
  /**
   * Creates at the first request with this key, and gives its outcome again to all that repeat it within a day. `KeyInUse`
   * while another request with the key is under way.
   */
  createSnippetOnce: (content: Content, retry: RetryKey) => TaskEither<CreateOnceError | KeyInUse, Created>
  retrieveSnippet: (id: Id) => TaskEither<ReadError, Snippet>
  /** Sets the named fields; with every field named it replaces the snippet. */
  updateSnippet: (id: Id, changes: Changes, expected: Expectation) => TaskEither<UpdateError, Snippet>
  deleteSnippet: (id: Id, expected: Expectation) => TaskEither<DeleteError, void>
  pageSnippets: (query: SnippetQuery) => TaskEither<ListError, Page<Snippet>>
  /** Every snippet by ascending id, in batches. */
  streamSnippets: () => AsyncIterable<E.Either<ListError, readonly Snippet[]>>
  retrieveUser: (id: Id) => TaskEither<ReadError, User>
  pageUsers: (window: Window) => TaskEither<ListError, Page<User>>
}>

/**
 * Creating adds the time and lets a key be under way once; every other verb is one atomic port operation as it stands.
 * The layer exists so that a rule that spans operations has a home, and so that a port can change without its callers.
 */
export const useCases = ({ snippets, users, clock }: Ports): UseCases => ({
  createSnippet: content => snippets.create(draftOf(content, clock.now())),
  createSnippetOnce: oneAtATime((content: Content, retry) => snippets.createOnce(draftOf(content, clock.now()), retry)),
  retrieveSnippet: snippets.get,
  updateSnippet: snippets.update,
  deleteSnippet: snippets.delete,
  pageSnippets: snippets.page,
  streamSnippets: snippets.all,
  retrieveUser: users.get,
  pageUsers: users.page,
})
