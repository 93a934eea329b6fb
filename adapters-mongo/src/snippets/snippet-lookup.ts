import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, type ReadError } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import type { Id } from '@snippets/domain/values/id.js'
import { runInBatches } from '@snippets/remote-storage/batches.js'
import type { WithDeadline } from '@snippets/remote-storage/operation.js'
import { tooManyQueued } from '@snippets/remote-storage/queue.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { lookupMs, makeLookupOptions } from '../collections/reads.js'
import { isMaxTimeExpired } from '../collections/rejections.js'
import type { Queues } from '../connection/queues.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

export type LookupDependencies = Pick<Queues, 'runLookup' | 'runExpensive'> &
  Readonly<{
    snippets: Collection<SnippetDocument>
    withDeadline: WithDeadline
    /** Tells whether the server is a mongos. */
    isSharded: () => boolean
  }>

/** Batches of reads in flight. A second batch hides the latency of the network. */
const lookupConcurrency = 2

/** The limit of the first read of a snippet behind mongos, so that a shard without a primary delays few others. */
const quickMs = 20

/**
 * Reads snippets by id. Concurrent reads share a command. Behind mongos each has a command of its own, because a shard
 * without a primary fails every command that concerns it. A read that such a shard delays is repeated as an expensive one.
 */
export const createSnippetLookup = (dependencies: LookupDependencies): SnippetStore['get'] => {
  const { snippets, withDeadline, runLookup, runExpensive, isSharded } = dependencies
  const read = async (ids: readonly Id[], maxTimeMS: number) => {
    const documents = await snippets
      .find({ _id: { $in: ids } }, { ...makeLookupOptions(ids.length), maxTimeMS })
      .toArray()
    // keyed by digits, so that an equal `_id` of another type is found and reported as malformed
    const found = new Map(documents.map(document => [String(document._id), decodeSnippet(document)]))
    return (id: Id): E.Either<ReadError, Snippet> => found.get(String(id)) ?? E.left(notFound)
  }
  const readInBatch = runInBatches(lookupConcurrency, async (ids: readonly Id[]) => {
    const batch = await withDeadline(async () => E.right(await read([...new Set(ids)], lookupMs)))
    return ids.map(id => (E.isLeft(batch) ? batch : batch.right(id)))
  })
  const readAlone = (id: Id) =>
    withDeadline<ReadError, Snippet>(operation => {
      const readWithin = (ms: number) => async () => (await read([id], ms))(id)
      return runLookup(readWithin(quickMs), () => tooManyQueued, lookupMs).catch(error => {
        if (!isMaxTimeExpired(error) || operation.isOver) throw error
        return runExpensive(readWithin(lookupMs), () => tooManyQueued)
      })
    })
  return id => () => (isSharded() ? readAlone(id) : readInBatch(id)())
}
