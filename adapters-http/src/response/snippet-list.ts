import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { ListError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { objectSchema, schemaRef } from '../formats/openapi-objects.js'
import { jsonArray, jsonPieces } from './json-array.js'
import { type HttpResponse, makeJsonResponse } from './response.js'
import { exampleSnippet, snippetJson, snippetRepresentation } from './snippet-representation.js'

type Batch = E.Either<ListError, readonly Snippet[]>

const prefix = '{"snippets":['

/**
 * Responds with `{"snippets":[…]}` in constant memory. Reads ahead until the list is long, so that a short list is
 * complete before the response begins, and an unavailable storage leads to a problem. A later failure throws and closes
 * the connection: a truncated list never looks complete.
 */
export const streamSnippets =
  (batches: () => AsyncIterable<Batch>): TaskEither<ListError, HttpResponse> =>
  async () => {
    const source = batches()[Symbol.asyncIterator]()
    const close = async () => void (await source.return?.())
    const readAhead: Snippet[] = []
    // each pass renders the snippets so far again: at most one chunk of text
    for (;;) {
      const body = jsonArray(prefix, readAhead, snippetJson)
      if (typeof body !== 'string') break
      const next = await source.next()
      if (next.done) return E.right(makeJsonResponse(body))
      if (E.isLeft(next.value)) {
        await close()
        return next.value
      }
      readAhead.push(...next.value.right)
    }
    const pieces = jsonPieces(prefix, snippetsOf(readAhead, source), snippetJson)
    // a HEAD never starts the generator, which would close the source
    return E.right(makeJsonResponse({ pieces, onClose: close }))
  }

async function* snippetsOf(readAhead: Snippet[], source: AsyncIterator<Batch>): AsyncGenerator<readonly Snippet[]> {
  // the generator would hold the snippets to the end of the list
  yield readAhead.splice(0)
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (E.isLeft(next.value)) throw new Error('a list was truncated', { cause: next.value.left.cause })
    yield next.value.right
  }
}

export const snippetListBody = {
  name: 'SnippetList',
  schema: objectSchema('All snippets.', {
    snippets: {
      type: 'array',
      items: schemaRef(snippetRepresentation.name),
      description: 'The snippets in the order of their ids.',
    },
  }),
  example: { snippets: [exampleSnippet] },
}
