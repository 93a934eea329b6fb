import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, type ReadError } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import type { Id } from '@snippets/domain/values/id.js'
import { createBatcher } from '@snippets/remote-storage/batches.js'
import type { Operations } from '@snippets/remote-storage/operations.js'
import { tooManyQueued } from '@snippets/remote-storage/queue.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { makeLookupOptions } from '../collections/lookups.js'
import { isMaxTimeExpired } from '../collections/rejections.js'
import { lookupMs, quickMs, shardedBatchMs } from '../timeouts.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

export type LookupDependencies = Readonly<{
  operations: Operations
  snippetDocuments: Collection<SnippetDocument>
  /** Tells whether the server is a mongos. */
  isSharded: () => boolean
}>

/** Batches of reads in flight. A second batch hides the latency of the network. */
const lookupConcurrency = 2

/** The time without batches after a shard has failed one. */
const aloneMs = 10_000

/**
 * Reads snippets by id. Concurrent reads share a command. Behind mongos, a shard without a primary fails every command
 * that concerns it. After such a failure each read has a command of its own, and a slow read is repeated in the queue
 * of expensive operations.
 */
export const createSnippetLookup = ({
  operations: { withDeadline, queueLookup, queueExpensive },
  snippetDocuments,
  isSharded,
}: LookupDependencies): SnippetStore['get'] => {
  let aloneUntil = Number.NEGATIVE_INFINITY

  /** Returns the result of each snippet that exists, by the digits of its id. An `_id` of another type is malformed. */
  const read = async (ids: readonly Id[], maxTimeMS: number): Promise<ReadonlyMap<string, Result>> => {
    const documents = await snippetDocuments
      .find({ _id: { $in: ids } }, { ...makeLookupOptions(ids.length), maxTimeMS })
      .toArray()
    return new Map(documents.map(document => [String(document._id), decodeSnippet(document)]))
  }
  const readAlone = (id: Id) =>
    withDeadline<ReadError, Snippet>(({ signal }) => {
      const readWithin = (ms: number) => async () => (await read([id], ms)).get(String(id)) ?? E.left(notFound)
      return queueLookup(readWithin(quickMs), () => tooManyQueued, lookupMs).catch(error => {
        if (!isMaxTimeExpired(error) || signal.aborted) throw error
        return queueExpensive(readWithin(lookupMs), () => tooManyQueued)
      })
    })
  const readInBatch = createBatcher(lookupConcurrency, async (ids: readonly Id[]): Promise<readonly Result[]> => {
    const results = new Map<string, Result>()
    const batch = await withDeadline<never, void>(async () => {
      const wanted = [...new Set(ids)]
      try {
        const found = await read(wanted, isSharded() ? shardedBatchMs : lookupMs)
        for (const [id, result] of found) results.set(id, result)
      } catch (error) {
        if (!isSharded()) throw error
        aloneUntil = performance.now() + aloneMs
        await Promise.all(wanted.map(async id => results.set(String(id), await readAlone(id))))
      }
      return E.right(undefined)
    })
    return ids.map(id => results.get(String(id)) ?? (E.isLeft(batch) ? batch : E.left(notFound)))
  })
  return id => () => (performance.now() < aloneUntil ? readAlone(id) : readInBatch(id)())
}

type Result = E.Either<ReadError, Snippet>
