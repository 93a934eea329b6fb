// The schemas from which fastify makes validators and serialisers.
import { contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'

const text = { type: 'string' }
const link = { type: ['string', 'null'] }
const fields = Object.fromEntries(contentFieldNames.map(field => [field, contentFields[field].schema]))
const snippet = { type: 'object', properties: { id: { type: 'integer' }, ...fields, created_at: text } }
const page = {
  type: 'object',
  properties: { count: { type: 'integer' }, next: link, previous: link, results: { type: 'array', items: snippet } },
}
const body = { type: 'object', required: contentFieldNames, properties: fields }
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
