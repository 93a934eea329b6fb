import * as TE from 'fp-ts/lib/TaskEither.js'
import { createBaseUrlReader } from '../request/base-url.js'
import { preconditionReader } from '../request/preconditions.js'
import { makeItemResponse, renderHashed } from '../response/response.js'
import { responsesToRead } from '../routes/operations.js'
import { type Route, route } from '../routes/route.js'
import { exampleBaseUrl, makeOpenApiDocument } from './document.js'

const schema = {
  name: 'OpenApiDocument',
  schema: { type: 'object', description: 'An OpenAPI document.', additionalProperties: true },
  example: { openapi: '3.1.0', info: { title: 'Snippets', version: '1.2.3' }, paths: {} },
}

/** Adds a route that serves the document of all routes. */
export const withSchemaRoute = (
  routes: readonly Route[],
  publicUrl: string,
  version: string,
  needsToken: boolean,
): readonly Route[] => {
  let text: string | undefined
  const schemaRoute: Route = route({
    method: 'GET',
    path: '/api/schema/',
    reads: { baseUrl: createBaseUrlReader(publicUrl), applyPrecondition: preconditionReader },
    run: ({ baseUrl, applyPrecondition }) => {
      // created at the first request, as most processes never serve it
      text ??= JSON.stringify(makeOpenApiDocument(all, version, needsToken))
      // the URL of a server must not be empty
      const served =
        baseUrl === '' ? text.replace(`"${exampleBaseUrl}"`, '"/"') : text.replaceAll(exampleBaseUrl, () => baseUrl)
      return TE.right(applyPrecondition(makeItemResponse(renderHashed(served))))
    },
    operation: {
      operationId: 'getOpenApiDocument',
      summary: 'Get this document',
      description: 'Generate a client from it, or read it in Redoc, Scalar or Swagger UI.',
      tags: ['Service'],
      responses: responsesToRead('This document.', schema),
    },
  })
  const all = [...routes, schemaRoute]
  return all
}
