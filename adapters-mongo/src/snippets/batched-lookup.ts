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
import { lookupMs, makeLookupOptions, quickMs, shardedBatchMs } from '../connection/timeouts.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

type Result = E.Either<ReadError, Snippet>

/** Batches of reads in flight. A second batch hides the latency of the network. */
const lookupConcurrency = 2

/** The time without batches after a shard has failed one. */
const unbatchedMs = 10_000

/**
 * Creates a function that reads a snippet by id. Concurrent reads share a command. Behind mongos, a shard without a
 * primary fails every command that concerns it. After such a failure each read has a command of its own, and a slow
 * read is repeated in the queue of expensive jobs.
 */
export const createBatchedLookup = (
  { withDeadline, withLookupSlot, withExpensiveSlot }: Runners,
  snippetDocuments: Collection<SnippetDocument>,
  isSharded: () => boolean,
): SnippetStore['get'] => {
  let unbatchedUntil = Number.NEGATIVE_INFINITY

  /** Returns the result of each snippet that exists, by the digits of its id. An `_id` of another type is malformed. */
  const read = async (ids: readonly Id[], maxTimeMS: number): Promise<ReadonlyMap<string, Result>> => {
    const options = { ...makeLookupOptions(ids.length), maxTimeMS, ...asRaw }
    const rows = await snippetDocuments.find<RawRow>({ _id: { $in: ids } }, options).toArray()
    return new Map(rows.map(row => [idOfRaw(row), decodeSnippet(row)]))
  }
  const readUnbatched = (id: Id): Promise<Result> =>
    withDeadline(({ signal }) => {
      const readWithin = (ms: number) => async () => (await read([id], ms)).get(String(id)) ?? E.left(notFound)
      return withLookupSlot(readWithin(quickMs), () => tooManyQueued, lookupMs).catch(error => {
        if (!isMaxTimeExpired(error) || signal.aborted) throw error
        return withExpensiveSlot(readWithin(lookupMs), () => tooManyQueued)
      })
    })
  const readInBatch = createBatcher(lookupConcurrency, async (ids: readonly Id[]) => {
    // outlives the job, because at its deadline some snippets may have a result
    const results = new Map<string, Result>()
    const batch = await withDeadline<never, void>(async () => {
      const wanted = [...new Set(ids)]
      try {
        const found = await read(wanted, isSharded() ? shardedBatchMs : lookupMs)
        for (const [id, result] of found) results.set(id, result)
      } catch (error) {
        if (!isSharded()) throw error
        unbatchedUntil = performance.now() + unbatchedMs
        await Promise.all(wanted.map(async id => results.set(String(id), await readUnbatched(id))))
      }
      return E.right(undefined)
    })
    return ids.map(id => results.get(String(id)) ?? (E.isLeft(batch) ? batch : E.left(notFound)))
  })
  return id => () => (performance.now() < unbatchedUntil ? readUnbatched(id) : readInBatch(id)())
}
