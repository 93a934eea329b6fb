import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, type ReadError } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import type { Id } from '@snippets/domain/values/id.js'
import { createBatcher } from '@snippets/remote-storage/batches.js'
import { tooManyQueued } from '@snippets/remote-storage/queue.js'
import type { Runners } from '@snippets/remote-storage/runners.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { asRaw, idOfRaw, type RawRow } from '../collections/raw-rows.js'
import { isMaxTimeExpired } from '../connection/server-errors.js'
import { lookupMs, makeLookupOptions, quickMs } from '../connection/timeouts.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

type Result = E.Either<ReadError, Snippet>

/** Batches of reads in flight. A second batch hides the latency of the network. */
const lookupConcurrency = 2

/**
 * Creates a function that reads a snippet by id. Concurrent reads share a command, but not behind mongos, where a shard
 * without a primary would fail the reads of all shards. A read that is slow there is repeated in the queue of expensive
 * jobs, so that other reads find a slot.
 */
export const createSnippetLookup = (
  { withDeadline, withLookupSlot, withExpensiveSlot }: Runners,
  snippetDocuments: Collection<SnippetDocument>,
  isSharded: () => boolean,
): SnippetStore['get'] => {
  /** Returns the result of each snippet that exists, by the digits of its id. An `_id` of another type is malformed. */
  const read = async (ids: readonly Id[], maxTimeMS: number): Promise<ReadonlyMap<string, Result>> => {
    const options = { ...makeLookupOptions(ids.length), maxTimeMS, ...asRaw }
    const rows = await snippetDocuments.find<RawRow>({ _id: { $in: ids } }, options).toArray()
    return new Map(rows.map(row => [idOfRaw(row), decodeSnippet(row)]))
  }
  const readAlone = (id: Id): Promise<Result> =>
    withDeadline(() => {
      const readWithin = (ms: number) => async () => (await read([id], ms)).get(String(id)) ?? E.left(notFound)
      return withLookupSlot(readWithin(quickMs), () => tooManyQueued, lookupMs).catch(error => {
        if (!isMaxTimeExpired(error)) throw error
        return withExpensiveSlot(readWithin(lookupMs), () => tooManyQueued)
      })
    })
  const readInBatch = createBatcher(lookupConcurrency, async (ids: readonly Id[]) => {
    const found = await withDeadline(async () => E.right(await read([...new Set(ids)], lookupMs)))
    return ids.map(id => (E.isLeft(found) ? found : (found.right.get(String(id)) ?? E.left(notFound))))
  })
  return id => () => (isSharded() ? readAlone(id) : readInBatch(id)())
}
