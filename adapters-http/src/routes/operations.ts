import { countPrecisions, maxPageSize } from '@snippets/domain/queries/page.js'
import {
  type BodyDescription,
  constantHeader,
  enumSchema,
  header,
  type OpenApiObject,
  objectSchema,
  optionalHeader,
  schemaRef,
} from '../formats/openapi-objects.js'

/** A response of the OpenAPI document. */
export type ResponseDescription = Readonly<{
  status: 200 | 201 | 204 | 304
  description: string
  body?: BodyDescription
  headers?: OpenApiObject
}>

/** An operation of the OpenAPI document. The readers of its route describe the request. */
export type OpenApiOperation = Readonly<{
  operationId: string
  summary: string
  /** How a client uses the operation, in Markdown. */
  description: string
  tags: readonly string[]
  responses: readonly ResponseDescription[]
}>

const etagHeader = { ETag: header('Identifies this state, for If-None-Match and If-Match.', '"1767323045678-1"') }

const ok = (description: string, body: BodyDescription, headers: OpenApiObject = etagHeader): ResponseDescription => ({
  status: 200,
  description,
  body,
  headers,
})

/** Describes the responses to a conditional read. */
export const responsesToRead = (
  description: string,
  body: BodyDescription,
  headers: OpenApiObject = {},
): readonly ResponseDescription[] => [
  ok(description, body, { ...etagHeader, ...headers }),
  { status: 304, description: 'The client has the current state.', headers: etagHeader },
]

const pageHeaders = {
  'Count-Precision': optionalHeader(
    header('Sent when `count` is a lower bound or an estimate.', 'lower-bound', enumSchema(countPrecisions)),
  ),
}

const urlSchema = (description: string) => ({ type: ['string', 'null'], format: 'uri-reference', description })

/** Describes a page. The example is the only page, so that a client of a mock server follows no link. */
const pageOf = ({ name, example }: BodyDescription): BodyDescription => ({
  name: `${name}Page`,
  schema: objectSchema('One page of a list.', {
    count: {
      type: 'integer',
      minimum: 0,
      description: 'The number of items on all pages. Exact, unless the response has Count-Precision.',
    },
    next: urlSchema(
      'The URL of the next page, absolute unless the request had no Host. Null on the last page, unless `before` led to it: then the next page may be empty.',
    ),
    previous: urlSchema(
      'The URL of the previous page, absolute unless the request had no Host. Null on the first page, unless `after` led to it: then the previous page may be empty.',
    ),
    results: {
      type: 'array',
      items: schemaRef(name),
      maxItems: maxPageSize,
      description: 'The items on this page.',
    },
  }),
  example: { count: 1, next: null, previous: null, results: [example] },
})

export const operationToList = (item: BodyDescription): OpenApiOperation => ({
  operationId: `list${item.name}s`,
  summary: `List ${item.name.toLowerCase()}s page by page`,
  description:
    'Follow `next` unchanged until it is null: it keeps all other parameters. `previous` leads back. Pages have no ETag: get an item for its `ETag`.',
  tags: [`${item.name}s`],
  responses: [ok('One page.', pageOf(item), pageHeaders)],
})

export const howToGet =
  'The `ETag` identifies this state. Send it in `If-None-Match` to get a 304 until the item changes.'

export const operationToGet = (item: BodyDescription): OpenApiOperation => ({
  operationId: `get${item.name}`,
  summary: `Get a ${item.name.toLowerCase()}`,
  description: howToGet,
  tags: [`${item.name}s`],
  responses: responsesToRead('The item.', item),
})

const updateSafely =
  'To keep the changes of other clients, get the item first and send its `ETag` in `If-Match`. After a 412, get it again, and repeat the change on the new state. Without `If-Match` the last write wins. After a timeout or a 503, get the item to see whether the write was applied: a repeated write with `If-Match` gets 412 from the first one.'

const creationHeaders = (path: string): OpenApiObject => ({
  ...etagHeader,
  Location: header('The URL of the new item, absolute or relative to the URL of the request.', `${path}1/`),
  'Idempotency-Replayed': optionalHeader(
    constantHeader(
      'Sent when an earlier request with the same Idempotency-Key got this response. Get the item before you change it.',
      'true',
    ),
  ),
})

/** Describes the operations that write items of the list at the path. */
export const operationsToWrite = (item: BodyDescription, path: string) => {
  const noun = item.name.toLowerCase()
  const tags = [`${item.name}s`]
  const updated = ok('The item as it is now.', item)
  return {
    create: {
      operationId: `create${item.name}`,
      summary: `Create a ${noun}`,
      description:
        'To retry safely, send a new UUID as `Idempotency-Key`. After a timeout or a 503, send the same request with the same key again: it creates nothing twice, and gets the first 201 again. A key is valid for a day.',
      tags,
      responses: [{ status: 201, description: 'The new item.', body: item, headers: creationHeaders(path) }],
    },
    replace: {
      operationId: `replace${item.name}`,
      summary: `Replace a ${noun}`,
      description: `${updateSafely} The service ignores \`id\` and \`created_at\` in the body, so an item can be sent as it was received.`,
      tags,
      responses: [updated],
    },
    update: {
      operationId: `update${item.name}`,
      summary: `Change some fields of a ${noun}`,
      description: `The fields in the body replace those of the item; all others stay (RFC 7396). None can be removed, so null is invalid. A body with unknown or read-only fields only is rejected. ${updateSafely}`,
      tags,
      responses: [updated],
    },
    delete: {
      operationId: `delete${item.name}`,
      summary: `Delete a ${noun}`,
      description:
        'Send an `ETag` in `If-Match` to delete only this state. After a timeout or a 503, send the request again: a 404 then means that the item is deleted.',
      tags,
      responses: [{ status: 204, description: 'The item is deleted.' }],
    },
  } as const satisfies Readonly<Record<string, OpenApiOperation>>
}
