import type { ListError } from '@snippets/domain/errors.js'
import { maxPageSize } from '@snippets/domain/page.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import { type Answer, ok } from './answer.js'
import { arrayAnswer } from './array-answer.js'
import { arrayInPieces } from './array-in-pieces.js'
import { exactObjectOf } from './json-schema.js'
import { type Problem, problem } from './problems.js'
import { jsonInLongList, snippetRepresentation } from './snippet-representation.js'

type Batch = E.Either<ListError, readonly Snippet[]>

/** The storage failed after part of a list had been sent. */
export class BrokenOffError extends Error {
  constructor(cause: unknown) {
    super('a list broke off midway', { cause })
  }
}

/**
 * `{"snippets":[…]}` in constant memory: one piece at a time. A list that is no longer than a page is answered like one, in a
 * third of the time. The answer waits until that is known, so that a storage that is down gets a problem. A later failure
 * throws, which cuts the connection: a truncated list never looks whole.
 */
const streamedList = async (batches: AsyncIterable<Batch>): Promise<E.Either<ListError, Answer>> => {
  const source = batches[Symbol.asyncIterator]()
  const close = async () => source.return?.()
  const read: Snippet[] = []
  while (read.length <= maxPageSize) {
    const next = await source.next()
    if (next.done) return E.right(await arrayAnswer(before, read, show))
    if (E.isLeft(next.value)) {
      await close()
      return next.value
    }
    read.push(...next.value.right)
  }
  return E.right(ok({ pieces: () => listOf(snippetsFrom(read, source)), close }))
}

const before = '{"snippets":['
const { show } = snippetRepresentation

const listOf = (batches: AsyncIterable<readonly Snippet[]>): AsyncIterable<string> =>
  arrayInPieces({ before, batches, jsonOf: jsonInLongList, after: ']}' })

/** What has been read already, and then the rest. */
async function* snippetsFrom(
  read: readonly Snippet[],
  source: AsyncIterator<Batch>,
): AsyncGenerator<readonly Snippet[]> {
  yield read
  for (let next = await source.next(); !next.done; next = await source.next()) {
    if (E.isLeft(next.value)) throw new BrokenOffError(next.value.left.cause)
    yield next.value.right
  }
}

export type StreamList = (batches: AsyncIterable<Batch>) => Promise<E.Either<ListError | Problem, Answer>>

/** Streams so many lists at a time, and refuses more: each holds a cursor of the storage and some buffers. */
export const limitedLists = (most: number): StreamList => {
  let open = 0
  return async batches => {
    if (open >= most) return E.left(tooManyLists)
    open++
    const list = await streamedList(batches).catch((error: unknown) => {
      open--
      throw error
    })
    if (E.isLeft(list)) open--
    return E.isLeft(list) ? list : E.right(onClose(list.right, () => open--))
  }
}

const tooManyLists = problem('overloaded', {
  detail:
    'Too many lists of all snippets are being sent at the moment. Try again, or read the generated list page by page.',
  headers: { 'Retry-After': '1' },
})

const onClose = (answer: Answer, closed: () => void): Answer => {
  const { body } = answer
  if (typeof body !== 'object') {
    closed()
    return answer
  }
  let isClosed = false
  const close = async (): Promise<unknown> => {
    if (!isClosed) closed()
    isClosed = true
    return body.close()
  }
  return { ...answer, body: { ...body, close } }
}

export const snippetListSchema = {
  name: 'SnippetList',
  schema: exactObjectOf({ snippets: { type: 'array', items: { $ref: '#/components/schemas/Snippet' } } }),
  example: { snippets: [snippetRepresentation.example] },
}
