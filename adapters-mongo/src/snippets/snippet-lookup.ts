import { notFound, type ReadError, unavailable } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import type { Attempt } from '../connection/attempt.js'
import { maxTimeMS } from '../connection/in-time.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

type Lookup = Readonly<{
  id: Id
  attempt: Attempt
  answer: (answer: E.Either<ReadError, Snippet>) => void
}>

/** Reads all of them with one command, and answers each by itself. */
export const lookUpTogether =
  (snippets: Collection<SnippetDocument>) =>
  async (lookups: readonly Lookup[]): Promise<void> => {
    try {
      const ids = [...new Set(lookups.map(({ id }) => id))]
      const documents = await snippets.find({ _id: { $in: ids } }, { limit: ids.length, maxTimeMS }).toArray()
      // by their digits, because a malformed `_id` may equal the id and still be of another type
      const found = new Map(documents.map(document => [String(document._id), decodeSnippet(document)]))
      for (const { id, answer } of lookups) answer(found.get(String(id)) ?? E.left(notFound))
    } catch (cause) {
      for (const { answer } of lookups) answer(E.left(unavailable('unapplied', cause)))
    }
  }
