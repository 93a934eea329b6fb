import type { UseCases } from '@snippets/application/use-cases.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { creationOf } from '../request/idempotency-key.js'
import { noParameters } from '../request/list-query.js'
import { pathId } from '../request/path-id.js'
import { readCondition, writeCondition } from '../request/preconditions.js'
import { contentBody } from '../request/snippet-bodies.js'
import { createdResponse, itemResponse, noContent, type Representation } from '../response/response.js'
import { snippetList, snippetListSchema } from '../response/snippet-list.js'
import { codeContent, rawCode, rawCodeHeaders } from '../response/snippet-representation.js'
import { deletedDescription, describeCreated, describeOk, describeRead, recipes } from './descriptions.js'
import { type Route, type RouteOptions, route } from './route.js'
import { snippetsViewsetPath } from './snippets-viewset.js'

const tag = 'Snippets (explicit family)'
const path = '/api/snippets/'

/** Creates the explicit family, in which each route spells out its own steps. */
export const explicitSnippets = (
  useCases: UseCases,
  representation: Representation<Snippet>,
  { publicUrl, longResponses }: RouteOptions,
): readonly Route[] => [
  route({
    method: 'GET',
    path,
    operationId: 'listAllSnippets',
    summary: 'List all snippets',
    description:
      'Streams all snippets in one response, in the order of their ids. If the storage fails midway, the connection closes before the JSON is complete. To read fewer at a time, use `listSnippets`.',
    tag,
    reads: { query: noParameters(snippetsViewsetPath) },
    responses: [describeOk('All snippets.', snippetListSchema, {})],
    run: () => snippetList(useCases.allSnippets, longResponses),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'createSnippetExplicit',
    summary: 'Create a snippet (explicit family)',
    description: recipes.create,
    tag,
    reads: { creation: creationOf(contentBody) },
    responses: [describeCreated(representation, path)],
    run: ({ creation: { content, key } }) =>
      pipe(useCases.createSnippet(content, key), TE.map(createdResponse(publicUrl + path, representation.render))),
  }),
  route({
    method: 'GET',
    path: `${path}:id/`,
    operationId: 'getSnippetExplicit',
    summary: 'Get a snippet (explicit family)',
    description: recipes.get,
    tag,
    reads: { id: pathId, applyCondition: readCondition },
    responses: describeRead('The snippet.', representation),
    run: ({ id, applyCondition }) =>
      pipe(useCases.retrieveSnippet(id), TE.map(flow(representation.renderMemoized, itemResponse, applyCondition))),
  }),
  route({
    method: 'GET',
    path: `${path}:id/raw/`,
    operationId: 'getSnippetCode',
    summary: 'Get the code of a snippet as text',
    description: `Returns the code alone, as plain text. ${recipes.get}`,
    tag,
    reads: { id: pathId, applyCondition: readCondition },
    responses: describeRead('The code of the snippet.', codeContent, rawCodeHeaders),
    run: ({ id, applyCondition }) => pipe(useCases.retrieveSnippet(id), TE.map(flow(rawCode, applyCondition))),
  }),
  route({
    method: 'PUT',
    path: `${path}:id/`,
    operationId: 'replaceSnippetExplicit',
    summary: 'Replace a snippet (explicit family)',
    description: recipes.replace,
    tag,
    reads: { content: contentBody, id: pathId, expected: writeCondition },
    responses: [describeOk('The snippet as it is now.', representation)],
    run: ({ id, content, expected }) =>
      pipe(useCases.updateSnippet(id, content, expected), TE.map(flow(representation.render, itemResponse))),
  }),
  route({
    method: 'DELETE',
    path: `${path}:id/`,
    operationId: 'deleteSnippetExplicit',
    summary: 'Delete a snippet (explicit family)',
    description: recipes.delete,
    tag,
    reads: { id: pathId, expected: writeCondition },
    responses: [deletedDescription],
    run: ({ id, expected }) => pipe(useCases.deleteSnippet(id, expected), TE.as(noContent())),
  }),
]
