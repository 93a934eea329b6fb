import { finished } from 'node:stream'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { ListError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type LongResponses, markActiveOnResume } from '../server/long-responses.js'
import { chunkBytes, jsonArrayResponse, streamJsonArray, textBytes, tooManyLongResponses } from './json-array.js'
import { objectSchema } from './openapi-objects.js'
import type { Problem } from './problems.js'
import { type HttpResponse, jsonResponse } from './response.js'
import { exampleSnippet, snippetJson } from './snippet-representation.js'

type Batch = E.Either<ListError, readonly Snippet[]>

const prefix = '{"snippets":['

/** The bytes that a list in progress counts for. A list holds batches of the storage, and a cursor of MongoDB. */
const listBytes = 1024 * 1024

/**
 * Sends `{"snippets":[…]}` in constant memory. Reads ahead until the list is long, so that a short list is complete
 * before the response begins, and an unavailable storage leads to a problem. A later failure throws and closes the
 * connection: a truncated list never looks complete.
 */
export const snippetListResponse =
  (batches: () => AsyncIterable<Batch>, longResponses: LongResponses): TaskEither<ListError | Problem, HttpResponse> =>
  async () => {
    const reservation = {}
    if (!longResponses.reserve(reservation, listBytes)) return E.left(tooManyLongResponses)
    const source = withCleanup(batches, () => longResponses.release(reservation))
    const readAhead: Snippet[] = []
    for (let bytes = 0; bytes <= chunkBytes; ) {
      const next = await source.next()
      if (next.done) return E.right(jsonArrayResponse(longResponses, prefix, readAhead, snippetJson))
      if (E.isLeft(next.value)) {
        await source.return(undefined)
        return next.value
      }
      readAhead.push(...next.value.right)
      bytes += textBytes(next.value.right)
    }
    const body = streamJsonArray(prefix, snippetsFrom(readAhead, source), snippetJson)
    markActiveOnResume(longResponses, reservation, body)
    // neither a response to HEAD nor an aborted one ends the source
    finished(body, () => void source.return(undefined))
    return E.right(jsonResponse(body))
  }

async function* snippetsFrom(readAhead: Snippet[], source: AsyncGenerator<Batch>): AsyncGenerator<readonly Snippet[]> {
  // the generator would hold the snippets to the end of the list
  yield readAhead.splice(0)
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (E.isLeft(next.value)) throw new Error('a list was truncated', { cause: next.value.left.cause })
    yield next.value.right
  }
}

async function* withCleanup(batches: () => AsyncIterable<Batch>, release: () => void): AsyncGenerator<Batch> {
  try {
    yield* batches()
  } finally {
    release()
  }
}

export const snippetListBody = {
  name: 'SnippetList',
  schema: objectSchema('All snippets.', {
    snippets: {
      type: 'array',
      items: { $ref: '#/components/schemas/Snippet' },
      description: 'The snippets in the order of their ids.',
    },
  }),
  example: { snippets: [exampleSnippet] },
}
