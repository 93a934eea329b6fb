import { contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'
import { filterFields, maxSearchLength, maxSearchTerms, searchFields } from '@snippets/domain/queries/filter.js'
import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { defaultPageSize, maxPageSize } from '@snippets/domain/queries/page.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { enumSchema, objectSchema, type Schema } from '../formats/openapi-objects.js'
import { preconditionReader } from '../request/preconditions.js'
import { makeHashedItem, makeItemResponse } from '../response/response.js'
import { responsesToRead } from './operations.js'
import { type Route, route } from './router.js'

const config = {
  page_size: defaultPageSize,
  max_page_size: maxPageSize,
  limits: makeRecord(contentFieldNames, field => contentFields[field].limits),
  filter_fields: filterFields,
  search_fields: searchFields,
  max_search_length: maxSearchLength,
  max_search_terms: maxSearchTerms,
  ordering_fields: orderingFields,
}

const integerSchema = (description: string): Schema => ({ type: 'integer', description })

const namesSchema = (fields: readonly string[], description: string): Schema => ({
  type: 'array',
  items: enumSchema(fields),
  description,
})

const limitsSchema = (field: string): Schema =>
  objectSchema(`The limits of ${field}.`, {
    min: integerSchema('The minimum length.'),
    max: integerSchema('The maximum length.'),
  })

const properties: Readonly<Record<keyof typeof config, Schema>> = {
  page_size: integerSchema('The default of the parameter `page_size`.'),
  max_page_size: integerSchema('The maximum of the parameter `page_size`.'),
  limits: objectSchema(
    'Lengths in code points. HTML `maxlength` counts UTF-16 units: an emoji takes at least two.',
    makeRecord(contentFieldNames, limitsSchema),
  ),
  filter_fields: namesSchema(filterFields, 'The fields that have a parameter to filter by.'),
  search_fields: namesSchema(searchFields, 'The fields in which the parameter `search` finds its terms.'),
  max_search_length: integerSchema('The maximum number of code points of the parameter `search`.'),
  max_search_terms: integerSchema('The maximum number of terms of the parameter `search`.'),
  ordering_fields: namesSchema(orderingFields, 'The fields that the parameter `ordering` accepts.'),
}

const response = makeItemResponse(makeHashedItem(JSON.stringify(config)))

export const configRoute: Route = route({
  method: 'GET',
  path: '/api/snippets/config/',
  reads: { applyPrecondition: preconditionReader },
  run: ({ applyPrecondition }) => TE.right(applyPrecondition(response)),
  operation: {
    operationId: 'getConfig',
    summary: 'Get the limits and the field names',
    description: 'Check a form against the limits before sending it. They change only with an upgrade of the service.',
    tags: ['Service'],
    responses: responsesToRead('The limits and the field names.', {
      name: 'Config',
      schema: objectSchema('The limits and the field names.', properties),
      example: config,
    }),
  },
})
