import { defaultPageSize, filterFields, maxPageSize, orderingFields } from '@snippets/domain/rules.js'
import { pipe } from 'fp-ts/lib/function.js'
import { getOrElse, type Option } from 'fp-ts/lib/Option.js'
import { json, mergePatch, problemJson } from '../media-types.js'
import { reference, type Schema, schemas } from './schemas.js'

type SchemaName = keyof typeof schemas
type Operation = Readonly<Record<string, unknown>>

const header = (description: string, required = true): Schema => ({ description, required, schema: { type: 'string' } })

const always = {
  'X-Request-Id': header('The id of the request: the one that came with it, when well-formed, else a new one.'),
  'X-Content-Type-Options': { description: 'Always nosniff.', required: true, schema: { const: 'nosniff' } },
}

const conditional = {
  ETag: header('Names this state of the snippet, for If-None-Match and If-Match.'),
  'Cache-Control': { description: 'Ask before using a kept copy.', required: true, schema: { const: 'no-cache' } },
}

const location = { Location: header('Where the new snippet is.') }

const answers = (description: string, schema: SchemaName, headers = {}): Schema => ({
  description,
  headers: { ...always, ...headers },
  content: { [json]: { schema: reference(schema) } },
})

const empty = (description: string, headers = {}): Schema => ({ description, headers: { ...always, ...headers } })

const problem = (description: string, headers = {}): Schema => ({
  description,
  headers: { ...always, ...headers },
  content: { [problemJson]: { schema: reference('Problem') } },
})

const responses = {
  BadRequest: problem('The request, its query string or its body breaks a rule; `errors` names each fault.'),
  NotFound: problem('There is nothing with this id.'),
  PreconditionFailed: problem('The snippet is in no state that If-Match names. Nothing was written.'),
  BodyTooLarge: problem('The body is too large.'),
  QueryTooLong: problem('The query string is too long.'),
  UnsupportedMediaType: problem('The body is not JSON in UTF-8, or is encoded.'),
  Internal: problem('Something went wrong inside; the log has the cause.'),
  Unavailable: problem('The storage does not answer; the problem says whether a write may have happened.', {
    'Retry-After': header('Seconds to wait before trying again.'),
  }),
  IdsExhausted: problem('Every id has been handed out.'),
} satisfies Record<string, Schema>

const shared = (name: keyof typeof responses): Schema => ({ $ref: `#/components/responses/${name}` })

const onAny = { 400: shared('BadRequest'), 500: shared('Internal'), 503: shared('Unavailable') }
const onList = { ...onAny, 414: shared('QueryTooLong') }
const onOne = { ...onAny, 404: shared('NotFound') }
const onBody = { 413: shared('BodyTooLarge'), 415: shared('UnsupportedMediaType') }
const onWrite = { ...onOne, 412: shared('PreconditionFailed') }

const query = (name: string, description: string, schema: Schema): Schema => ({
  name,
  in: 'query',
  description,
  schema,
})
const requestHeader = (name: string, description: string): Schema => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
})

const windowParameters = [
  query('page', 'Which page.', { type: 'integer', minimum: 1, default: 1 }),
  query('page_size', `How many on a page; more than ${maxPageSize} are cut to ${maxPageSize}.`, {
    type: 'integer',
    minimum: 1,
    default: defaultPageSize,
  }),
]

const filterParameters = filterFields.map(field =>
  query(field, `Only those whose ${field} is exactly this; empty for all.`, { type: 'string' }),
)

const directed = orderingFields.flatMap(field => [field, `-${field}`]).join('|')

const orderingParameter = query(
  'ordering',
  `A comma-separated list of ${orderingFields.join(', ')}; a - before one turns it round.`,
  {
    type: 'string',
    pattern: `^(${directed})(,(${directed}))*$`,
  },
)

const ifNoneMatch = requestHeader('If-None-Match', 'An ETag; the answer is 304 while the snippet is in that state.')
const ifMatch = requestHeader('If-Match', 'An ETag; the write happens only while the snippet is in that state.')

const body = (schema: SchemaName, types: readonly string[] = [json]): Schema => ({
  required: true,
  content: Object.fromEntries(types.map(type => [type, { schema: reference(schema) }])),
})

const operation = (operationId: string, summary: string, rest: Operation): Operation => ({
  operationId,
  summary,
  ...rest,
})

const idParameter = {
  name: 'id',
  in: 'path',
  required: true,
  schema: { type: 'string', pattern: '^[1-9][0-9]{0,18}$' },
}

const snippet = (description: string, headers = {}): Schema =>
  answers(description, 'Snippet', { ...conditional, ...headers })

const collection = (name: string, list: Operation): Operation => ({
  get: list,
  post: operation(`create${name}`, 'Store a new snippet', {
    requestBody: body('SnippetContent'),
    responses: {
      201: snippet('The new snippet.', location),
      400: shared('BadRequest'),
      ...onBody,
      500: shared('Internal'),
      503: shared('Unavailable'),
      507: shared('IdsExhausted'),
    },
  }),
})

const detail = (name: string): Operation => ({
  parameters: [idParameter],
  get: operation(`retrieve${name}`, 'One snippet', {
    parameters: [ifNoneMatch],
    responses: { 200: snippet('The snippet.'), 304: empty('It has not changed.', conditional), ...onOne },
  }),
  put: operation(`update${name}`, 'Write a snippet anew', {
    parameters: [ifMatch],
    requestBody: body('SnippetContent'),
    responses: { 200: snippet('The snippet as it is now.'), ...onWrite, ...onBody },
  }),
  delete: operation(`delete${name}`, 'Remove a snippet for good', {
    parameters: [ifMatch],
    responses: { 204: empty('It is gone.'), ...onWrite },
  }),
})

const generatedDetail: Operation = {
  ...detail('GeneratedSnippet'),
  patch: operation('patchGeneratedSnippet', 'Write some fields of a snippet', {
    parameters: [ifMatch],
    requestBody: body('SnippetChanges', [json, mergePatch]),
    responses: { 200: snippet('The snippet as it is now.'), ...onWrite, ...onBody },
  }),
}

const constant = (operationId: string, summary: string, schema: SchemaName): Operation => ({
  get: operation(operationId, summary, {
    responses: { 200: answers(summary, schema), 400: shared('BadRequest'), 500: shared('Internal') },
  }),
})

const generalRules = [
  'Stores and manages code snippets. Two path families share one collection.',
  'Everywhere: HEAD is offered with GET; OPTIONS is answered with 204 and Allow; other methods with 405, Allow and a problem;',
  'a path without its trailing slash with 308; what is no HTTP with 400, 408, 417 or 431 and a problem.',
].join(' ')

export const openApiDocument = (publicUrl: Option<string>): Operation => ({
  openapi: '3.1.0',
  info: {
    title: 'Snippets',
    version: '1.0.0',
    description: generalRules,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    {
      url: pipe(
        publicUrl,
        getOrElse(() => '/'),
      ),
    },
  ],
  paths: {
    '/api/snippets/': collection(
      'Snippet',
      operation('listSnippets', 'All snippets, by id', {
        responses: { 200: answers('All of them.', 'SnippetList'), ...onList },
      }),
    ),
    '/api/snippets/config/': constant('showConfig', 'The limits and names that the service works by', 'Config'),
    '/api/snippets/{id}/': detail('Snippet'),
    '/api/snippets-viewset/': collection(
      'GeneratedSnippet',
      operation('listGeneratedSnippets', 'Snippets, filtered, ordered and page by page', {
        parameters: [...windowParameters, ...filterParameters, orderingParameter],
        responses: { 200: answers('One page.', 'SnippetPage'), ...onList },
      }),
    ),
    '/api/snippets-viewset/{id}/': generatedDetail,
    '/api/users/': {
      get: operation('listUsers', 'Users, page by page', {
        parameters: windowParameters,
        responses: { 200: answers('One page.', 'UserPage'), ...onList },
      }),
    },
    '/api/users/{id}/': {
      parameters: [idParameter],
      get: operation('retrieveUser', 'One user', { responses: { 200: answers('The user.', 'User'), ...onOne } }),
    },
    '/api/schema/': constant('showSchema', 'This document', 'Schema'),
  },
  components: { schemas, responses },
})
