// Fastify with schemas for bodies, queries and answers, from which it makes validators and serialisers.
import Fastify from 'fastify'
import { listening, pageOf, tagOf, view } from '../dist/commands/bench/servers/peer.js'
import { TrivialStore } from '../dist/commands/bench/servers/trivial-store.js'

const store = new TrivialStore()
const pages = '/api/snippets-viewset/'

const content = {
  title: { type: 'string', minLength: 1, maxLength: 100 },
  code: { type: 'string', minLength: 1, maxLength: 10_000 },
  language: { type: 'string', minLength: 1, maxLength: 50 },
}
const text = { type: 'string' }
const snippet = {
  type: 'object',
  properties: { id: { type: 'integer' }, title: text, code: text, language: text, created_at: text },
}
const snippets = { type: 'array', items: snippet }
const link = { type: ['string', 'null'] }
const page = {
  type: 'object',
  properties: { count: { type: 'integer' }, next: link, previous: link, results: snippets },
}
const params = { type: 'object', properties: { id: { type: 'integer' } } }
const query = {
  type: 'object',
  properties: { language: text, ordering: { enum: ['-created_at'] }, page: { type: 'integer', minimum: 1 } },
}
const whole = { type: 'object', required: Object.keys(content), properties: content }
const answers = schema => ({ response: { '2xx': schema } })

const show = (reply, found) => {
  if (found === undefined) return reply.code(404).send({ status: 404 })
  return reply.header('ETag', tagOf(found)).send(view(found))
}

const update = (request, reply) => show(reply, store.update(request.params.id, request.body))

const app = Fastify()
app.get(
  '/api/snippets/',
  { schema: answers({ type: 'object', properties: { snippets } }) },
  (_request, reply) => void reply.send({ snippets: store.all().map(view) }),
)
app.post('/api/snippets/', { schema: { body: whole, ...answers(snippet) } }, (request, reply) => {
  const created = store.create(request.body)
  return show(reply.code(201).header('Location', `/api/snippets/${created.id}/`), created)
})
app.get('/api/snippets/:id/', { schema: { params, ...answers(snippet) } }, (request, reply) => {
  const found = store.get(request.params.id)
  if (found === undefined || request.headers['if-none-match'] !== tagOf(found)) return show(reply, found)
  return reply.code(304).header('ETag', tagOf(found)).send()
})
app.put('/api/snippets/:id/', { schema: { params, body: whole, ...answers(snippet) } }, update)
app.patch(
  `${pages}:id/`,
  { schema: { params, body: { type: 'object', properties: content }, ...answers(snippet) } },
  update,
)
app.get(pages, { schema: { querystring: query, ...answers(page) } }, (request, reply) => {
  const { language, ordering, page } = request.query
  const found = store.page({ language, ordering, page, size: 10 })
  return reply.send(pageOf(`http://${request.host}${pages}`, request.query, found))
})
await app.listen({ port: 0, host: '127.0.0.1' })
listening(app.server)
