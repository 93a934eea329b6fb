// The schemas from which fastify makes validators and serialisers.
import { limits } from './shared.js'

const text = { type: 'string' }
const link = { type: ['string', 'null'] }
const snippet = {
  type: 'object',
  properties: { id: { type: 'integer' }, title: text, code: text, language: text, created_at: text },
}
const page = {
  type: 'object',
  properties: { count: { type: 'integer' }, next: link, previous: link, results: { type: 'array', items: snippet } },
}
const body = {
  type: 'object',
  required: Object.keys(limits),
  properties: Object.fromEntries(
    Object.entries(limits).map(([field, maxLength]) => [field, { type: 'string', minLength: 1, maxLength }]),
  ),
}
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
