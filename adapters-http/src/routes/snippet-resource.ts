import type { UseCases } from '@snippets/application/use-cases.js'
import type { Content, Snippet } from '@snippets/domain/entities/snippet.js'
import type { SnippetQuery } from '@snippets/domain/queries/page.js'
import { snippetQueryReader } from '../request/list-query.js'
import { changesReader, contentReader } from '../request/snippet-bodies.js'
import { snippetRepresentation } from '../response/snippet-representation.js'
import type { Resource } from './generated-routes.js'

export const snippetsViewsetPath = '/api/snippets-viewset/'

/** Describes the snippets of the generated family. */
export const makeSnippetResource = (useCases: UseCases): Resource<Snippet, SnippetQuery, Content> => ({
  path: snippetsViewsetPath,
  representation: snippetRepresentation,
  listReader: snippetQueryReader,
  contentReader,
  changesReader,
  list: useCases.pageSnippets,
  create: useCases.createSnippet,
  get: useCases.getSnippet,
  update: useCases.updateSnippet,
  delete: useCases.deleteSnippet,
})
