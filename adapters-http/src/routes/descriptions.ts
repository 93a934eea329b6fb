import { exampleTag } from '../response/entity-tag.js'
import type { BodyDescription, OpenApiObject } from '../response/openapi-objects.js'
import { constantHeader, header, optionalHeader } from '../response/openapi-objects.js'
import type { ResponseDescription } from './route.js'

const etagHeader = { ETag: header('Identifies this state, for If-None-Match and If-Match.', exampleTag) }

export const describeOk = (
  description: string,
  body: BodyDescription,
  headers: OpenApiObject = etagHeader,
): ResponseDescription => ({ status: 200, description, body, headers })

/** Describes the responses to a conditional read. */
export const describeRead = (
  description: string,
  body: BodyDescription,
  headers: OpenApiObject = {},
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
        'Sent when an earlier request with the same Idempotency-Key got this response. Get the item before you change it.',
        'true',
      ),
    ),
  },
})

export const deletedDescription: ResponseDescription = { status: 204, description: 'The item is deleted.' }

const update =
  'To keep the changes of other clients, get the item first and send its `ETag` in `If-Match`. After a 412, get it again, and repeat the change on the new state. Without `If-Match` the last write wins. After a timeout or a 503, get the item to see whether the write was applied.'

/** How a client uses the operations that several resources share. */
export const recipes = {
  create:
    'To retry safely, send a new UUID as `Idempotency-Key`. After a timeout or a 503, send the same request with the same key again: it creates nothing twice, and gets the first 201 again. A key is valid for a day.',
  get: 'The `ETag` identifies this state. Send it in `If-None-Match` to get a 304 until the item changes, or in the `If-Match` of a write.',
  replace: `${update} The service ignores \`id\` and \`created_at\` in the body, so an item can be sent as it was received.`,
  update: `The fields in the body replace those of the item; all others stay (RFC 7396). None can be removed, so null is invalid. ${update}`,
  delete:
    'Send an `ETag` in `If-Match` to delete only this state. After a timeout or a 503, send the request again: a 404 then means that the item is deleted.',
  page: 'Follow `next` unchanged until it is null: it keeps all other parameters. `previous` leads back. Pages have no ETag: get an item for its `ETag`, also after a 412.',
} as const
