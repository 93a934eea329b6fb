import * as NEA from 'fp-ts/lib/NonEmptyArray.js'
import { exampleBaseUrl, type OpenApiObject } from '../openapi-objects.js'
import type { BodyDescription, RequestReader } from '../request/reader.js'
import type { ProblemName } from '../response/problems.js'
import { json } from '../response/response.js'
import type { NamedSchema, ResponseDescription, Route } from '../routes/route.js'
import { commonHeaderObjects } from './common-headers.js'
import { problemComponents, problemResponseRefs, problemSchemas } from './problem-responses.js'
import { isWrite, securityOf, securitySchemes, tokenProblems } from './security.js'

const generalRules = [
  'Stores and manages code snippets. Two path families share one collection.',
  'Every path with GET also has HEAD. OPTIONS returns 204 with Allow; other methods return 405 with Allow and a problem.',
  'A path without its trailing slash returns 308. Malformed, late, unsupported or oversized HTTP returns 400, 408, 417 or 431 with a problem.',
].join(' ')

const tags = [
  { name: 'Snippets', description: 'The explicit family, which lists all snippets at once.' },
  {
    name: 'Snippets viewset',
    description: 'The generated family, with pages, filters, orderings and partial updates.',
  },
  { name: 'Users', description: 'The users, which an operator provisions. Read-only.' },
  { name: 'Service', description: 'The limits and the description of the service.' },
]

export type DocumentOptions = Readonly<{ version: string; needsToken: boolean }>

/** Creates the OpenAPI 3.1 document from the records that the router uses. */
export const openApiDocument = (routes: readonly Route[], { version, needsToken }: DocumentOptions) => ({
  openapi: '3.1.0',
  info: {
    title: 'Snippets',
    version,
    description: generalRules,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: exampleBaseUrl, description: 'This service.' }],
  // without tokens, authentication is left to a proxy
  security: needsToken ? securityOf('read') : [],
  tags,
  paths: pathsOf(routes, needsToken),
  components: {
    schemas: { ...Object.fromEntries(schemasOf(routes).map(({ name, schema }) => [name, schema])), ...problemSchemas },
    responses: problemComponents(routes.map(route => statedProblems(route, needsToken))),
    ...(needsToken && { securitySchemes }),
  },
})

const pathsOf = (routes: readonly Route[], needsToken: boolean): OpenApiObject =>
  Object.fromEntries(
    Object.entries(NEA.groupBy<Route>(({ path }) => path)([...routes])).map(([path, siblings]) => [
      path.replace(/:(\w+)/g, '{$1}'),
      Object.fromEntries(siblings.map(route => [route.method.toLowerCase(), operationOf(route, needsToken)])),
    ]),
  )

const operationOf = (route: Route, needsToken: boolean): OpenApiObject => {
  const { operationId, summary, tag, readers, responses } = route
  const parameters = readers.flatMap(reader => reader.parameters ?? [])
  const bodies = bodiesOf(readers)
  return {
    operationId,
    summary,
    tags: [tag],
    ...(needsToken && isWrite(route) && { security: securityOf('write') }),
    ...(parameters.length > 0 && { parameters }),
    ...Object.fromEntries(bodies.map(body => ['requestBody', requestBodyOf(body)])),
    responses: {
      ...Object.fromEntries(responses.map(response => [response.status, responseOf(response)])),
      ...problemResponseRefs(statedProblems(route, needsToken)),
    },
  }
}

/** Returns the problems that the readers of a route and the check of its token state. */
const statedProblems = (route: Route, needsToken: boolean): readonly ProblemName[] => [
  ...(needsToken ? tokenProblems(route) : []),
  ...route.readers.flatMap(({ problems }) => problems ?? []),
]

const bodiesOf = (readers: readonly RequestReader<unknown>[]): readonly BodyDescription[] =>
  readers.flatMap(({ body }) => body ?? [])

const requestBodyOf = ({ mediaTypes, maxBytes, ...body }: BodyDescription): OpenApiObject => ({
  description: `At most ${maxBytes} bytes.`,
  required: true,
  content: Object.fromEntries(mediaTypes.map(type => [type, contentOf(body)])),
})

const responseOf = ({ description, content, headers }: ResponseDescription): OpenApiObject => ({
  description,
  headers: { ...commonHeaderObjects, ...headers },
  ...(content && { content: { [content.mediaType ?? json]: contentOf(content) } }),
})

const contentOf = ({ name, example }: NamedSchema): OpenApiObject => ({
  schema: { $ref: `#/components/schemas/${name}` },
  example,
})

/** Returns the schemas of all bodies and responses. A name may appear several times. */
const schemasOf = (routes: readonly Route[]): readonly NamedSchema[] => [
  ...routes.flatMap(({ readers }) => bodiesOf(readers)),
  ...routes.flatMap(({ responses }) => responses.flatMap(({ content }) => content ?? [])),
]
