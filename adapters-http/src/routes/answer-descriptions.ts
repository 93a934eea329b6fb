import { contentFields, exampleContent } from '@snippets/domain/entities/snippet.js'
import { plainText } from '../answer/answer.js'
import { exampleTag } from '../answer/entity-tag.js'
import { pageHeaders } from '../answer/page-answer.js'
import type { Representation } from '../answer/representation.js'
import { rawCodeHeaders } from '../answer/snippet-representation.js'
import type { Schema } from '../json-schema.js'
import type { AnswerDescription, NamedSchema } from './route.js'

const header = (description: string, example: string): Schema => ({
  description,
  required: true,
  schema: { type: 'string' },
  example,
})

const validators: Readonly<Record<string, Schema>> = {
  ETag: header('Identifies this state, for If-None-Match and If-Match.', exampleTag),
}

const location = { Location: header('Where the new item is.', '/api/snippets/1/') }

const replayedHeader: Readonly<Record<string, Schema>> = {
  'Idempotency-Replayed': {
    description: 'An earlier request with the same Idempotency-Key created it, and got this answer.',
    schema: { const: 'true' },
  },
}

const headersOf = <A>({ isTagged }: Representation<A>) => (isTagged ? validators : {})

export const describeOk = (
  description: string,
  content: NamedSchema,
  headers: Readonly<Record<string, Schema>> = {},
): AnswerDescription => ({ status: 200, description, content, headers })

export const describePage = (content: NamedSchema): AnswerDescription => describeOk('One page.', content, pageHeaders)

export const describeItem = <A>(description: string, shown: Representation<A>): AnswerDescription => ({
  status: 200,
  description,
  content: shown,
  headers: headersOf(shown),
})

export const describeCreated = <A>(description: string, shown: Representation<A>): AnswerDescription => ({
  status: 201,
  description,
  content: shown,
  headers: { ...headersOf(shown), ...location, ...replayedHeader },
})

export const describeCode: AnswerDescription = {
  status: 200,
  description: 'The code of the snippet.',
  content: { name: 'Code', mediaType: plainText, schema: contentFields.code.schema, example: exampleContent.code },
  headers: { ...validators, ...rawCodeHeaders },
}

export const describeNotModified: AnswerDescription = {
  status: 304,
  description: 'It has not changed.',
  headers: validators,
}

export const describeDeleted: AnswerDescription = { status: 204, description: 'It is deleted.' }
