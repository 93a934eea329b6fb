import type { UseCases } from '@snippets/application/use-cases.js'
import type { SnippetQuery, Window } from '@snippets/domain/page.js'
import type { Changes, Content, Snippet } from '@snippets/domain/snippet.js'
import type { User } from '@snippets/domain/user.js'
import { changesCodec, contentCodec } from './body-codecs.js'
import { snippetParameters, windowParameters } from './list-codecs.js'
import type { ReadOnlyResource, WritableResource } from './resource.js'
import { representSnippet, representUser } from './snippet-json.js'

export const snippetsViewset = (useCases: UseCases): WritableResource<Snippet, SnippetQuery, Content, Changes> => ({
  path: '/api/snippets-viewset/',
  represent: representSnippet,
  parameters: snippetParameters,
  whole: contentCodec,
  part: changesCodec,
  list: useCases.pageSnippets,
  create: useCases.createSnippet,
  retrieve: useCases.retrieveSnippet,
  update: useCases.updateSnippet,
  destroy: useCases.deleteSnippet,
})

export const users = (useCases: UseCases): ReadOnlyResource<User, { window: Window }> => ({
  path: '/api/users/',
  represent: representUser,
  parameters: windowParameters,
  list: ({ window }) => useCases.pageUsers(window),
  retrieve: useCases.retrieveUser,
})
