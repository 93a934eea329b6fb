// Fastify with schemas, and nothing else.
import Fastify from 'fastify'
import { createSchema, detailSchema, pageSchema } from './fastify-schemas.js'
import { add, find, pageOf } from './shared.js'

const app = Fastify()
const list = '/api/snippets-viewset/'
app.get('/api/snippets/:id/', { schema: detailSchema }, ({ params }, reply) => reply.send(find(params.id)))
app.post('/api/snippets/', { schema: createSchema }, ({ body }, reply) => reply.code(201).send(add(body)))
app.get(list, { schema: pageSchema }, ({ host, query }, reply) => reply.send(pageOf(`http://${host}${list}`, query)))
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
