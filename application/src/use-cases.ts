import type { CreateError } from '@snippets/domain/errors.js'
import type { Clock, SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { Content, Snippet } from '@snippets/domain/snippet.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'

export type Ports = Readonly<{ snippets: SnippetStore; users: UserStore; clock: Clock }>

/** What a caller can ask of the service, one verb each. */
export type UseCases = Readonly<{
  createSnippet: (content: Content) => TaskEither<CreateError, Snippet>
  retrieveSnippet: SnippetStore['get']
  updateSnippet: SnippetStore['update']
  deleteSnippet: SnippetStore['delete']
  pageSnippets: SnippetStore['page']
  streamSnippets: SnippetStore['all']
  retrieveUser: UserStore['get']
  pageUsers: UserStore['page']
}>

const createSnippet =
  ({ snippets, clock }: Ports): UseCases['createSnippet'] =>
  content =>
    snippets.create({ ...content, created_at: clock.now() })

export const useCases = (ports: Ports): UseCases => ({
  createSnippet: createSnippet(ports),
  retrieveSnippet: ports.snippets.get,
  updateSnippet: ports.snippets.update,
  deleteSnippet: ports.snippets.delete,
  pageSnippets: ports.snippets.page,
  streamSnippets: ports.snippets.all,
  retrieveUser: ports.users.get,
  pageUsers: ports.users.page,
})
