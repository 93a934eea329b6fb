import { contentFields, exampleContent } from '@snippets/domain/entities/snippet.js'
import { plainText } from '../answer/answer.js'
import { exampleTag } from '../answer/entity-tag.js'
import { pageHeaders } from '../answer/page-answer.js'
import type { Representation } from '../answer/representation.js'
import { rawCodeHeaders } from '../answer/snippet-representation.js'
import { constantHeader, optionalHeader, type Schema, textHeader } from '../json-schema.js'
import type { AnswerDescription, ResponseContent } from './route.js'

const validators = { ETag: textHeader('Identifies this state, for If-None-Match and If-Match.', exampleTag) }

const createdHeaders = {
  Location: textHeader('Where the new item is.', '/api/snippets/1/'),
  'Idempotency-Replayed': optionalHeader(
    constantHeader('An earlier request with the same Idempotency-Key created the item and got this answer.', 'true'),
  ),
}

const headersOf = <A>({ isTagged }: Representation<A>) => (isTagged ? validators : {})

export const describeOk = (
  description: string,
  content: ResponseContent,
  headers: Readonly<Record<string, Schema>> = {},
): AnswerDescription => ({ status: 200, description, content, headers })

export const describePage = (content: ResponseContent): AnswerDescription =>
  describeOk('One page.', content, pageHeaders)

export const describeItem = <A>(description: string, representation: Representation<A>): AnswerDescription =>
  describeOk(description, representation, headersOf(representation))

export const describeCreated = <A>(description: string, representation: Representation<A>): AnswerDescription => ({
  ...describeOk(description, representation, { ...headersOf(representation), ...createdHeaders }),
  status: 201,
})

export const describeCode = describeOk(
  'The code of the snippet.',
  { name: 'Code', mediaType: plainText, schema: contentFields.code.schema, example: exampleContent.code },
  { ...validators, ...rawCodeHeaders },
)

export const describeNotModified: AnswerDescription = {
  status: 304,
  description: 'The item has not changed.',
  headers: validators,
}

export const describeDeleted: AnswerDescription = { status: 204, description: 'The item is deleted.' }
