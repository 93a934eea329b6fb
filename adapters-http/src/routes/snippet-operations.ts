import { snippetRepresentation } from '../response/snippet-representation.js'
import { type OpenApiOperation, responsesToCreate, responsesToUpdate } from './operations.js'

export const snippetsViewsetPath = '/api/snippets-viewset/'

const tags = ['Snippets']

const updateSafely =
  'To keep the changes of other clients, get the item first and send its `ETag` in `If-Match`. After a 412, get it again, and repeat the change on the new state. Without `If-Match` the last write wins. After a timeout or a 503, get the item to see whether the write was applied: a repeated write with `If-Match` gets 412 from the first one.'

/** The operations that write snippets in the generated family. */
export const snippetOperations = {
  create: {
    operationId: 'createSnippet',
    summary: 'Create a snippet',
    description:
      'To retry safely, send a new UUID as `Idempotency-Key`. After a timeout or a 503, send the same request with the same key again: it creates nothing twice, and gets the first 201 again. A key is valid for a day.',
    tags,
    responses: responsesToCreate(snippetRepresentation, snippetsViewsetPath),
  },
  replace: {
    operationId: 'replaceSnippet',
    summary: 'Replace a snippet',
    description: `${updateSafely} The service ignores \`id\` and \`created_at\` in the body, so an item can be sent as it was received.`,
    tags,
    responses: responsesToUpdate(snippetRepresentation),
  },
  update: {
    operationId: 'updateSnippet',
    summary: 'Change some fields of a snippet',
    description: `The fields in the body replace those of the item; all others stay (RFC 7396). None can be removed, so null is invalid. A body with unknown or read-only fields only is rejected. ${updateSafely}`,
    tags,
    responses: responsesToUpdate(snippetRepresentation),
  },
  delete: {
    operationId: 'deleteSnippet',
    summary: 'Delete a snippet',
    description:
      'Send an `ETag` in `If-Match` to delete only this state. After a timeout or a 503, send the request again: a 404 then means that the item is deleted.',
    tags,
    responses: [{ status: 204, description: 'The item is deleted.' }],
  },
} as const satisfies Readonly<Record<string, OpenApiOperation>>
