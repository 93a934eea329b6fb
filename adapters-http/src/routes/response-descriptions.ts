import { constantHeader, header, type OpenApiObject, optionalHeader } from '../openapi-objects.js'
import { exampleTag } from '../response/entity-tag.js'
import type { ResponseContent, ResponseDescription } from './route.js'

type Headers = Readonly<Record<string, OpenApiObject>>

const etagHeader = { ETag: header('Identifies this state, for If-None-Match and If-Match.', exampleTag) }

export const describeOk = (
  description: string,
  content: ResponseContent,
  headers: Headers = etagHeader,
): ResponseDescription => ({ status: 200, description, content, headers })

/** Describes the responses to a conditional read. */
export const describeRead = (
  description: string,
  content: ResponseContent,
  headers: Headers = {},
): readonly ResponseDescription[] => [
  describeOk(description, content, { ...etagHeader, ...headers }),
  { status: 304, description: 'The client has the current state.', headers: etagHeader },
]

export const describeCreated = (content: ResponseContent, path: string): ResponseDescription => ({
  status: 201,
  description: 'The new item.',
  content,
  headers: {
    ...etagHeader,
    Location: header('The URL of the new item, absolute or relative to the URL of the request.', `${path}1/`),
    'Idempotency-Replayed': optionalHeader(
      constantHeader(
        'An earlier request with the same Idempotency-Key created the item and got this response.',
        'true',
      ),
    ),
  },
})

export const deletedDescription: ResponseDescription = { status: 204, description: 'The item is deleted.' }
