import type { UseCases } from '@snippets/application/use-cases.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { idempotencyKeyReader } from '../request/idempotency-key.js'
import { createNoParametersReader } from '../request/list-query.js'
import { pathIdReader } from '../request/path-id.js'
import { expectationReader, preconditionReader } from '../request/preconditions.js'
import { contentReader } from '../request/snippet-bodies.js'
import { makeCreatedResponse, makeItemResponse, makeNoContentResponse, reserveList } from '../response/response.js'
import { snippetListBody, streamSnippets } from '../response/snippet-list.js'
import { codeBody, codeHeaders, makeCodeResponse, snippetRepresentation } from '../response/snippet-representation.js'
import { howToGet, type OpenApiOperation, operationsToWrite, operationToGet, responsesToRead } from './operations.js'
import { type Route, route } from './router.js'
import { snippetsViewsetPath } from './snippet-resource.js'

const path = '/api/snippets/'
const tag = 'Snippets (explicit family)'
const { render } = snippetRepresentation
const writeOperations = operationsToWrite(snippetRepresentation, path)

/** Creates the explicit family, in which each route spells out its own steps. */
export const createExplicitSnippetRoutes = (useCases: UseCases, publicUrl: string): readonly Route[] => [
  route({
    method: 'GET',
    path,
    reads: { query: createNoParametersReader(snippetsViewsetPath), reservation: { read: reserveList } },
    run: () => streamSnippets(useCases.allSnippets),
    operation: listAllOperation,
  }),
  route({
    method: 'POST',
    path,
    reads: { content: contentReader, toKeyedContent: idempotencyKeyReader },
    run: ({ content, toKeyedContent }) =>
      pipe(
        useCases.createSnippet(content, toKeyedContent(content)),
        TE.map(makeCreatedResponse(publicUrl + path, render)),
      ),
    operation: inExplicitFamily(writeOperations.create),
  }),
  route({
    method: 'GET',
    path: `${path}:id/`,
    reads: { id: pathIdReader, applyPrecondition: preconditionReader },
    run: ({ id, applyPrecondition }) =>
      pipe(useCases.getSnippet(id), TE.map(flow(render, makeItemResponse, applyPrecondition))),
    operation: inExplicitFamily(operationToGet(snippetRepresentation)),
  }),
  route({
    method: 'GET',
    path: `${path}:id/raw/`,
    reads: { id: pathIdReader, applyPrecondition: preconditionReader },
    run: ({ id, applyPrecondition }) =>
      pipe(useCases.getSnippet(id), TE.map(flow(makeCodeResponse, applyPrecondition))),
    operation: getCodeOperation,
  }),
  route({
    method: 'PUT',
    path: `${path}:id/`,
    reads: { content: contentReader, id: pathIdReader, expected: expectationReader },
    run: ({ id, content, expected }) =>
      pipe(useCases.updateSnippet(id, content, expected), TE.map(flow(render, makeItemResponse))),
    operation: inExplicitFamily(writeOperations.replace),
  }),
  route({
    method: 'DELETE',
    path: `${path}:id/`,
    reads: { id: pathIdReader, expected: expectationReader },
    run: ({ id, expected }) => pipe(useCases.deleteSnippet(id, expected), TE.as(makeNoContentResponse())),
    operation: inExplicitFamily(writeOperations.delete),
  }),
]

/** Adapts the description of an operation that both families have to the explicit family. */
const inExplicitFamily = (operation: OpenApiOperation): OpenApiOperation => ({
  ...operation,
  operationId: `${operation.operationId}Explicit`,
  summary: `${operation.summary} (explicit family)`,
  tags: [tag],
})

const listAllOperation: OpenApiOperation = {
  operationId: 'listAllSnippets',
  summary: 'List all snippets',
  description:
    'Streams all snippets in one response, in the order of their ids. The list is not the state of one moment: it may have or lack a snippet that is created or deleted meanwhile. If the storage fails midway, the connection closes before the JSON is complete. To read fewer at a time, use `listSnippets`.',
  tags: [tag],
  responses: [{ status: 200, description: 'All snippets.', body: snippetListBody }],
}

const getCodeOperation: OpenApiOperation = {
  operationId: 'getSnippetCode',
  summary: 'Get the code of a snippet as text',
  description: `Returns the code alone, as plain text. ${howToGet}`,
  tags: [tag],
  responses: responsesToRead('The code of the snippet.', codeBody, codeHeaders),
}
