// Fastify doing what this service does by default.
import { contentSchemas } from '@snippets/adapters-http/response/snippet-representation.js'
import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import Fastify from 'fastify'
import pino from 'pino'
import { add, find, headers, locationOf, pageOf, problem, requestId, tagOf } from './shared.js'

// fastify makes validators and serialisers of these schemas
const text = { type: 'string' }
const link = { type: ['string', 'null'] }
const snippet = { type: 'object', properties: { id: { type: 'integer' }, ...contentSchemas, created_at: text } }
const page = {
  type: 'object',
  properties: { count: { type: 'integer' }, next: link, previous: link, results: { type: 'array', items: snippet } },
}
const body = { type: 'object', required: contentFieldNames, properties: contentSchemas }
const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: { language: text, ordering: { enum: ['-created_at'] }, page: { type: 'integer', minimum: 1 } },
}

const detailSchema = {
  params: { type: 'object', properties: { id: { type: 'integer' } } },
  response: { '2xx': snippet },
}
const createSchema = { body, response: { '2xx': snippet } }
const pageSchema = { querystring, response: { '2xx': page } }

const app = Fastify({
  loggerInstance: pino(pino.destination({ dest: 2, sync: false })),
  disableRequestLogging: true,
  genReqId: ({ headers }) => requestId(headers['x-request-id']),
  ajv: { customOptions: { allErrors: true, removeAdditional: false } },
})

app.addHook('onRequest', async (request, reply) => {
  reply.headers(headers).header('X-Request-Id', request.id)
})
app.addHook('onResponse', async ({ method, routeOptions, log }, reply) => {
  const bytes = Number(reply.getHeader('content-length'))
  log.info({ method, route: routeOptions.url, status: reply.statusCode, bytes, ms: reply.elapsedTime }, 'request')
})

const sendProblem = (reply, ...parts) =>
  reply
    .code(parts[0])
    .type('application/problem+json')
    .send(problem(...parts))

app.setNotFoundHandler((_request, reply) => sendProblem(reply, 404, 'Not found'))
app.setErrorHandler((error, _request, reply) => {
  const errors = error.validation?.map(({ instancePath: field, keyword: code, message }) => ({ field, code, message }))
  return sendProblem(reply, error.statusCode ?? 500, 'Rejected', errors)
})

const show = (reply, snippet) => reply.header('ETag', tagOf(snippet)).send(snippet)

app.get('/api/snippets/:id/', { schema: detailSchema }, ({ params, headers }, reply) => {
  const snippet = find(params.id)
  if (snippet === undefined) return sendProblem(reply, 404, 'Not found')
  const isKnown = headers['if-none-match'] === tagOf(snippet)
  return isKnown ? reply.code(304).header('ETag', tagOf(snippet)).send() : show(reply, snippet)
})
app.post('/api/snippets/', { schema: createSchema }, ({ body }, reply) => {
  const snippet = add(body)
  return show(reply.code(201).header('Location', locationOf(snippet)), snippet)
})
app.get('/api/snippets-viewset/', { schema: pageSchema }, ({ host, query }, reply) => {
  const url = `http://${host}/api/snippets-viewset/`
  return reply.send(pageOf(url, query))
})
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
