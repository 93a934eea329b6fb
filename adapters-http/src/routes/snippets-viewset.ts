import type { UseCases } from '@snippets/application/use-cases.js'
import type { Content, Snippet } from '@snippets/domain/entities/snippet.js'
import type { SnippetQuery } from '@snippets/domain/queries/page.js'
import { snippetQueryReader } from '../request/list-query.js'
import { changesBody, contentBody } from '../request/snippet-bodies.js'
import type { Representation } from '../response/response.js'
import type { Resource } from './generated-routes.js'

export const snippetsViewsetPath = '/api/snippets-viewset/'

/** Describes the resource of the generated family. */
export const snippetsViewset = (
  useCases: UseCases,
  representation: Representation<Snippet>,
): Resource<Snippet, SnippetQuery, Content> => ({
  path: snippetsViewsetPath,
  tag: 'Snippets',
  noun: { one: 'a snippet', many: 'snippets' },
  representation,
  listReader: snippetQueryReader,
  content: contentBody,
  changes: changesBody,
  list: useCases.pageSnippets,
  create: useCases.createSnippet,
  retrieve: useCases.retrieveSnippet,
  update: useCases.updateSnippet,
  destroy: useCases.deleteSnippet,
})
