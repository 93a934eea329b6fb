// The schemas from which fastify makes validators and serialisers.
import { contentSchemas } from '@snippets/adapters-http/response/snippet-representation.js'
import { contentFieldNames } from '@snippets/domain/entities/snippet.js'

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

export const detailSchema = {
  params: { type: 'object', properties: { id: { type: 'integer' } } },
  response: { '2xx': snippet },
}
export const createSchema = { body, response: { '2xx': snippet } }
export const pageSchema = { querystring, response: { '2xx': page } }
