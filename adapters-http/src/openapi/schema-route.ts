import * as TE from 'fp-ts/lib/TaskEither.js'
import { objectOf } from '../openapi-objects.js'
import { schemaPath } from '../request/links.js'
import { ok } from '../response/response.js'
import { describeOk } from '../routes/response-descriptions.js'
import { type Route, route } from '../routes/route.js'
import { type DocumentOptions, openApiDocument } from './document.js'

const anyObject = { type: 'object', additionalProperties: true }

const schema = {
  name: 'Schema',
  schema: objectOf({ openapi: { type: 'string' }, info: anyObject, paths: anyObject }),
  example: { openapi: '3.1.0', info: { title: 'Snippets', version: '1.0.0' }, paths: {} },
}

/** Adds a route that serves the document of all routes. */
export const withSchemaRoute = (routes: readonly Route[], options: DocumentOptions): readonly Route[] => {
  const schemaRoute: Route = route({
    method: 'GET',
    path: schemaPath,
    operationId: 'showSchema',
    summary: 'Show this document',
    tag: 'Service',
    reads: {},
    responses: [describeOk('This document.', schema)],
    run: () => TE.right(ok(document())),
  })
  const all = [...routes, schemaRoute]
  let text: string | undefined
  // created at the first request, as most processes never serve it
  const document = (): string => {
    text ??= JSON.stringify(openApiDocument(all, options))
    return text
  }
  return all
}
