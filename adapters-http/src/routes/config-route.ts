import { type ContentField, contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'
import { filterFields } from '@snippets/domain/queries/filter.js'
import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { defaultPageSize, maxPageSize } from '@snippets/domain/queries/page.js'
import { searchFields } from '@snippets/domain/queries/search.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { enumSchema, exactObjectSchema, type Schema } from '../openapi-objects.js'
import { readCondition } from '../request/preconditions.js'
import { textTag } from '../response/entity-tag.js'
import { conditionalResponse, itemResponse } from '../response/response.js'
import { describeOk, etagHeader, notModifiedDescription } from './response-descriptions.js'
import { type Route, route } from './route.js'

const limits = makeRecord(contentFieldNames, (field): Readonly<Record<string, number>> => contentFields[field].limits)

const config = {
  page_size: defaultPageSize,
  max_page_size: maxPageSize,
  limits,
  filter_fields: filterFields,
  search_fields: searchFields,
  ordering_fields: orderingFields,
}

const text = JSON.stringify(config)
const etag = textTag(text)

const limitsSchema = (field: ContentField): Schema =>
  exactObjectSchema(
    `The limits of ${field}.`,
    makeRecord(Object.keys(limits[field]), name => ({ type: 'integer', description: `The limit ${name}.` })),
  )

const listOf = (names: readonly string[], description: string) => ({
  type: 'array',
  items: enumSchema(names),
  description,
})

const configSchema = {
  name: 'Config',
  schema: exactObjectSchema('The limits and the field names.', {
    page_size: { type: 'integer', description: 'The default of the parameter `page_size`.' },
    max_page_size: { type: 'integer', description: 'The maximum of the parameter `page_size`.' },
    limits: exactObjectSchema(
      'Lengths in code points. HTML `maxlength` counts UTF-16 units: an emoji takes at least two.',
      makeRecord(contentFieldNames, limitsSchema),
    ),
    filter_fields: listOf(filterFields, 'The fields that have a parameter to filter by.'),
    search_fields: listOf(searchFields, 'The fields in which the parameter `search` finds its terms.'),
    ordering_fields: listOf(orderingFields, 'The fields that the parameter `ordering` accepts.'),
  }),
  example: config,
}

export const configRoute: Route = route({
  method: 'GET',
  path: '/api/snippets/config/',
  operationId: 'getConfig',
  summary: 'Get the limits and the field names',
  description: 'Check a form against the limits before sending it. They change only with an upgrade of the service.',
  tag: 'Service',
  reads: { condition: readCondition },
  responses: [describeOk('The limits and the field names.', configSchema, etagHeader), notModifiedDescription],
  run: ({ condition }) => TE.right(conditionalResponse(itemResponse({ json: text, etag }), condition)),
})
