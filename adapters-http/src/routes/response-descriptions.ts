import { type BodyDescription, constantHeader, header, type OpenApiObject, optionalHeader } from '../openapi-objects.js'
import { exampleTag } from '../response/entity-tag.js'
import type { ResponseDescription } from './route.js'

type Headers = Readonly<Record<string, OpenApiObject>>

const etagHeader = { ETag: header('Identifies this state, for If-None-Match and If-Match.', exampleTag) }

export const describeOk = (
  description: string,
  body: BodyDescription,
  headers: Headers = etagHeader,
): ResponseDescription => ({ status: 200, description, body, headers })

/** Describes the responses to a conditional read. */
export const describeRead = (
  description: string,
  body: BodyDescription,
  headers: Headers = {},
): readonly ResponseDescription[] => [
  describeOk(description, body, { ...etagHeader, ...headers }),
  { status: 304, description: 'The client has the current state.', headers: etagHeader },
]

export const describeCreated = (body: BodyDescription, path: string): ResponseDescription => ({
  status: 201,
  description: 'The new item.',
  body,
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
