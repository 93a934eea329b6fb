import { finished } from 'node:stream'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { ListError } from '@snippets/domain/ports/errors.js'
import { maxPageSize } from '@snippets/domain/queries/page.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { exactObjectOf } from '../json-schema.js'
import { type Answer, ok } from './answer.js'
import { arrayOf, streamedArray } from './json-array.js'
import { type Problem, problem } from './problems.js'
import { exampleSnippet, snippetJson } from './snippet-representation.js'

type Batch = E.Either<ListError, readonly Snippet[]>

/** The storage failed after part of a list had been sent. */
export class BrokenOffError extends Error {
  constructor(cause: unknown) {
    super('a list broke off midway', { cause })
  }
}

const before = '{"snippets":['

/**
 * `{"snippets":[…]}` in constant memory. The answer waits for more than a page, or for the end, so that a storage that is down gets
 * a problem. A later failure throws, which cuts the connection: a truncated list never looks whole.
 */
const streamedList = async (source: AsyncGenerator<Batch>): Promise<E.Either<ListError, Answer>> => {
  const read: Snippet[] = []
  while (read.length <= maxPageSize) {
    const next = await source.next()
    if (next.done) return E.right(ok(arrayOf(before, read, snippetJson)))
    if (E.isLeft(next.value)) {
      await source.return(undefined)
      return next.value
    }
    read.push(...next.value.right)
  }
  const body = streamedArray(before, snippetsFrom(read, source), snippetJson)
  // also where nothing of it is read, as for HEAD
  finished(body, () => void source.return(undefined))
  return E.right(ok(body))
}

/** What has been read already, and then the rest. */
async function* snippetsFrom(
  read: readonly Snippet[],
  source: AsyncGenerator<Batch>,
): AsyncGenerator<readonly Snippet[]> {
  yield read
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (E.isLeft(next.value)) throw new BrokenOffError(next.value.left.cause)
    yield next.value.right
  }
}

export type StreamList = (batches: () => AsyncIterable<Batch>) => TaskEither<ListError | Problem, Answer>

/** Streams so many lists at a time, and refuses more: each holds a cursor of the storage and some buffers. */
export const limitedLists = (most: number): StreamList => {
  let open = 0
  async function* counted(batches: AsyncIterable<Batch>): AsyncGenerator<Batch> {
    open++
    try {
      yield* batches
    } finally {
      open--
    }
  }
  return batches => async () => (open < most ? streamedList(counted(batches())) : E.left(tooManyLists))
}

const tooManyLists = problem('overloaded', {
  detail:
    'Too many lists of all snippets are being sent at the moment. Try again, or read the generated list page by page.',
  headers: { 'Retry-After': '1' },
})

export const snippetListSchema = {
  name: 'SnippetList',
  schema: exactObjectOf({ snippets: { type: 'array', items: { $ref: '#/components/schemas/Snippet' } } }),
  example: { snippets: [exampleSnippet] },
}
