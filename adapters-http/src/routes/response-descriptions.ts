import { contentFields, exampleContent } from '@snippets/domain/entities/snippet.js'
import { constantHeader, header, type OpenApiObject, optionalHeader } from '../openapi-objects.js'
import { exampleTag } from '../response/entity-tag.js'
import type { Representation } from '../response/representation.js'
import { plainText } from '../response/response.js'
import { rawCodeHeaders } from '../response/snippet-representation.js'
import type { ResponseContent, ResponseDescription } from './route.js'

export const etagHeader = { ETag: header('Identifies this state, for If-None-Match and If-Match.', exampleTag) }

const createdHeaders = (path: string) => ({
  Location: header('The URL of the new item, absolute or relative to the URL of the request.', `${path}1/`),
  'Idempotency-Replayed': optionalHeader(
    constantHeader('An earlier request with the same Idempotency-Key created the item and got this response.', 'true'),
  ),
})

const headersOf = <A>({ hasETag }: Representation<A>) => (hasETag ? etagHeader : {})

export const describeOk = (
  description: string,
  content: ResponseContent,
  headers: Readonly<Record<string, OpenApiObject>> = {},
): ResponseDescription => ({ status: 200, description, content, headers })

export const describeItem = <A>(description: string, representation: Representation<A>): ResponseDescription =>
  describeOk(description, representation, headersOf(representation))

export const describeCreated = <A>(
  description: string,
  representation: Representation<A>,
  path: string,
): ResponseDescription => ({
  ...describeOk(description, representation, { ...headersOf(representation), ...createdHeaders(path) }),
  status: 201,
})

export const codeDescription = describeOk(
  'The code of the snippet.',
  { name: 'SnippetCode', mediaType: plainText, schema: contentFields.code.schema, example: exampleContent.code },
  { ...etagHeader, ...rawCodeHeaders },
)

export const notModifiedDescription: ResponseDescription = {
  status: 304,
  description: 'The client has the current state.',
  headers: etagHeader,
}

export const deletedDescription: ResponseDescription = { status: 204, description: 'The item is deleted.' }
