import {
  filterFields,
  limits,
  maxPageSize,
  orderingFields,
  type TextField,
  textFields,
} from '@snippets/domain/rules.js'

export type Schema = Readonly<Record<string, unknown>>

export const reference = (name: keyof typeof schemas): Schema => ({ $ref: `#/components/schemas/${name}` })

const id: Schema = {
  type: 'integer',
  format: 'int64',
  minimum: 1,
  description: 'Handed out by the service, upwards from 1, and never again.',
}

const text = (field: TextField): Schema => ({
  type: 'string',
  minLength: limits[field].min,
  maxLength: limits[field].max,
  description: `Kept as it is; its length counts characters (code points).`,
})

const object = (properties: Readonly<Record<string, Schema>>, required = Object.keys(properties)): Schema => ({
  type: 'object',
  properties,
  required,
})

/** For what the service writes: nothing beside what is named. */
const closed = (properties: Readonly<Record<string, Schema>>, required?: string[]): Schema => ({
  ...object(properties, required),
  additionalProperties: false,
})

const texts = Object.fromEntries(textFields.map(field => [field, text(field)]))

const page = (item: Schema): Schema =>
  closed({
    count: { type: 'integer', minimum: 0, description: 'How many there are on all pages together.' },
    next: { type: ['string', 'null'], format: 'uri' },
    previous: { type: ['string', 'null'], format: 'uri' },
    results: { type: 'array', items: item, maxItems: maxPageSize },
  })

const bounds = closed({ min: { type: 'integer' }, max: { type: 'integer' } })

const named = (name: 'field' | 'parameter'): Schema =>
  closed({ [name]: { type: 'string' }, code: { type: 'string' }, message: { type: 'string' } })

export const schemas = {
  Snippet: closed({ id, ...texts, created_at: { type: 'string', format: 'date-time' } }),
  SnippetContent: object(texts),
  SnippetChanges: object(texts, []),
  SnippetList: closed({ snippets: { type: 'array', items: { $ref: '#/components/schemas/Snippet' } } }),
  SnippetPage: page({ $ref: '#/components/schemas/Snippet' }),
  User: closed({ id, username: { type: 'string' } }),
  UserPage: page({ $ref: '#/components/schemas/User' }),
  Config: closed({
    page_size: { type: 'integer' },
    max_page_size: { type: 'integer' },
    limits: closed(Object.fromEntries(textFields.map(field => [field, bounds]))),
    filter_fields: { type: 'array', items: { enum: filterFields } },
    ordering_fields: { type: 'array', items: { enum: orderingFields } },
  }),
  Schema: { type: 'object', required: ['openapi', 'info', 'paths'] },
  Problem: closed(
    {
      type: { type: 'string', pattern: '^urn:snippets:[a-z-]+$' },
      title: { type: 'string' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string' },
      errors: { type: 'array', minItems: 1, items: { oneOf: [named('field'), named('parameter')] } },
    },
    ['type', 'title', 'status', 'detail'],
  ),
} satisfies Record<string, Schema>
