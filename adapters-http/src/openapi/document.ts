import { exampleContent } from '@snippets/domain/entities/snippet.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type BodyDescription, type OpenApiObject, schemaRef } from '../formats/openapi-objects.js'
import { errorCodes, makeProblem, type ProblemName, problemNames } from '../formats/problems.js'
import { preconditionReader } from '../request/preconditions.js'
import { bodyRules } from '../request/read-body.js'
import { createBaseUrlReader } from '../request/target.js'
import { jsonType, makeHashedItem, makeItemResponse } from '../response/response.js'
import { type ResponseDescription, responsesToRead } from '../routes/operations.js'
import { type Route, route, routesByPath } from '../routes/router.js'
import { snippetsViewsetPath } from '../routes/snippet-resource.js'
import { commonHeaderObjects, problemComponents, problemResponseRefs, problemSchemas } from './problem-responses.js'

/** The base URL in examples. The service replaces it with its own. */
const exampleBaseUrl = 'http://127.0.0.1:8000'

const post = `curl ${exampleBaseUrl}${snippetsViewsetPath} -H 'Content-Type: application/json' -d '${JSON.stringify(exampleContent)}'`

const tableRow = (...cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`

const problemsText = [
  tableRow('Type', 'Status', 'Detail'),
  tableRow('---', '---', '---'),
  ...problemNames
    .map(name => makeProblem(name))
    .map(({ type, status, detail }) => tableRow(`\`${type}\``, status, detail)),
  '\nThe codes in `errors`:\n',
  tableRow('Code', 'Meaning'),
  tableRow('---', '---'),
  ...Object.entries(errorCodes).map(([code, meaning]) => tableRow(`\`${code}\``, meaning)),
].join('\n')

const overview = (needsToken: boolean): string => `Stores and manages code snippets.

## Start

\`\`\`sh
${post}
curl '${exampleBaseUrl}${snippetsViewsetPath}?ordering=-created_at&page_size=10'
\`\`\`

Two families of paths serve the same snippets. Take \`${snippetsViewsetPath}\`: it lists snippets page by page, filters, searches and orders them, and changes single fields. The explicit family, \`/api/snippets/\`, sends all snippets in one response, and the code of a snippet as text.

${needsToken ? 'Send `Authorization: Bearer TOKEN` with every request. The operator gives out tokens.' : 'Requests need no token, unless a proxy in front of the service asks for one.'}

## Errors

Every error has the media type \`application/problem+json\` (RFC 9457). Branch on \`type\`; treat an unknown one like its status. \`detail\` tells developers what is wrong and what to do. The problem of a body or a query string also has \`errors\`, whose \`message\` can stand beside the field or parameter. Before a retry, wait for the seconds in \`Retry-After\`; a write with a 503 may have been applied only if its type is \`outcome-unknown\`. Each operation lists the problems specific to it; \`default\` covers the rest. See the tables under "Problems".

## HTTP

A path with GET also has HEAD. OPTIONS returns 204 with \`Allow\`; any other method 405. A path without its trailing slash returns 308.`

const tags = [
  {
    name: 'Snippets',
    description: `Snippets page by page, with filters, a search, orderings and changes of single fields: \`${snippetsViewsetPath}\`.`,
  },
  {
    name: 'Snippets (explicit family)',
    description: 'The same snippets in one response, and the code of a snippet as text: `/api/snippets/`.',
  },
  { name: 'Users', description: 'The users, whom the operator adds. Read-only.' },
  { name: 'Service', description: 'The limits and the description of the service.' },
  { name: 'Problems', description: problemsText },
]

/** Returns the scope as a required role: OpenAPI 3.1 allows roles for schemes other than OAuth. */
const securityOf = (scope: 'read' | 'write') => [{ token: [scope] }]

const isWrite = ({ method }: Route): boolean => method !== 'GET'

/** Creates the OpenAPI 3.1 document from the records that the router uses. */
const makeOpenApiDocument = (routes: readonly Route[], version: string, needsToken: boolean) => ({
  openapi: '3.1.0',
  info: {
    title: 'Snippets',
    version,
    description: overview(needsToken),
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: exampleBaseUrl, description: 'This service.' }],
  // without tokens, authentication is left to a proxy
  security: needsToken ? securityOf('read') : [],
  tags,
  paths: Object.fromEntries(
    routesByPath(routes).map(([path, siblings]) => [
      path.replace(/:(\w+)/g, '{$1}'),
      Object.fromEntries(siblings.map(route => [route.method.toLowerCase(), operationOf(route, needsToken)])),
    ]),
  ),
  components: {
    schemas: {
      ...Object.fromEntries(routes.flatMap(bodiesOf).map(({ name, schema }) => [name, schema])),
      ...problemSchemas,
    },
    responses: problemComponents(routes.map(route => statedProblems(route, needsToken))),
    ...(needsToken && {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token from the operator, with the scope read or write. Write includes read.',
        },
      },
    }),
  },
})

/** Returns the problems that the readers of a route and the check of its token state. */
const statedProblems = (route: Route, needsToken: boolean): readonly ProblemName[] => [
  ...(needsToken ? (['unauthorized'] as const) : []),
  ...(needsToken && isWrite(route) ? (['forbidden'] as const) : []),
  ...route.readers.flatMap(({ problems }) => problems ?? []),
]

const bodiesOf = ({ readers, operation }: Route): readonly BodyDescription[] =>
  [...readers, ...operation.responses].flatMap(({ body }) => body ?? [])

const operationOf = (route: Route, needsToken: boolean): OpenApiObject => {
  const { readers } = route
  const { responses, ...described } = route.operation
  const parameters = readers.flatMap(reader => reader.parameters ?? [])
  const body = readers.flatMap(reader => reader.body ?? [])[0]
  return {
    ...described,
    ...(needsToken && isWrite(route) && { security: securityOf('write') }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { description: bodyRules, required: true, content: mediaTypesOf(body) } }),
    responses: {
      ...Object.fromEntries(responses.map(response => [response.status, describeResponse(response)])),
      ...problemResponseRefs(statedProblems(route, needsToken)),
    },
  }
}

const describeResponse = ({ description, body, headers }: ResponseDescription): OpenApiObject => ({
  description,
  headers: { ...commonHeaderObjects, ...headers },
  ...(body && { content: mediaTypesOf(body) }),
})

const mediaTypesOf = ({ name, mediaTypes = [jsonType], example }: BodyDescription): OpenApiObject => {
  const content = { schema: schemaRef(name), example }
  return Object.fromEntries(mediaTypes.map(type => [type, content]))
}

const documentBody = {
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
      return TE.right(applyPrecondition(makeItemResponse(makeHashedItem(served))))
    },
    operation: {
      operationId: 'getOpenApiDocument',
      summary: 'Get this document',
      description: 'Generate a client from it, or read it in Redoc, Scalar or Swagger UI.',
      tags: ['Service'],
      responses: responsesToRead('This document.', documentBody),
    },
  })
  const all = [...routes, schemaRoute]
  return all
}
