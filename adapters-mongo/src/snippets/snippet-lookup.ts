import type { WithDeadline } from '@snippets/application/remote-storage/operation.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { type Corrupt, notFound, type ReadError } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { lookupOptions } from '../collections/reads.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

type Found = E.Either<ReadError, Snippet>

/** Reads snippets with one command. Returns an answer for each id. */
export const lookUpBatch =
  (withDeadline: WithDeadline, snippets: Collection<SnippetDocument>) =>
  async (ids: readonly Id[]): Promise<readonly Found[]> => {
    const read = await withDeadline<never, ReadonlyMap<string, E.Either<Corrupt, Snippet>>>(async () => {
      const wanted = [...new Set(ids)]
      const documents = await snippets.find({ _id: { $in: wanted } }, lookupOptions(wanted.length)).toArray()
      // keyed by digits, so that an equal `_id` of another type is found and reported as malformed
      return E.right(new Map(documents.map(document => [String(document._id), decodeSnippet(document)])))
    })
    return ids.map(id => (E.isLeft(read) ? read : (read.right.get(String(id)) ?? E.left(notFound))))
  }
