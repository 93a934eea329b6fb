import { notFound, type ReadError, unavailable } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { type Either, left } from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { type Attempt, maxTimeMS } from './attempt.js'
import { type SnippetDocument, snippetFrom } from './documents.js'

export type Lookup = Readonly<{
  id: Id
  attempt: Attempt
  answer: (answer: Either<ReadError, Snippet>) => void
}>

/** Reads all of them with one command. Each is answered for itself. */
export const lookUpTogether =
  (snippets: Collection<SnippetDocument>) =>
  async (lookups: readonly Lookup[]): Promise<void> => {
    try {
      const ids = [...new Set(lookups.map(({ id }) => id))]
      const documents = await snippets.find({ _id: { $in: ids } }, { limit: ids.length, maxTimeMS }).toArray()
      // by their digits, as a malformed `_id` may equal the id and yet be of another type
      const found = new Map(documents.map(document => [String(document._id), snippetFrom(document)]))
      for (const { id, answer } of lookups) answer(found.get(String(id)) ?? left(notFound))
    } catch (cause) {
      for (const { answer } of lookups) answer(left(unavailable('unapplied', cause)))
    }
  }
