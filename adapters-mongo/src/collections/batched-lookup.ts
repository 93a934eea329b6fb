import { notFound, type ReadError } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import { createBatcher } from '@snippets/remote-storage/batches.js'
import { tooManyQueued } from '@snippets/remote-storage/queue.js'
import type { Runners } from '@snippets/remote-storage/runners.js'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { isMaxTimeExpired } from './rejections.js'
import { lookupMs, quickMs, shardedBatchMs } from './timeouts.js'

type LookupDependencies<A> = Readonly<{
  /** Returns the result of each row that exists, by the digits of its id. */
  read: (ids: readonly Id[], maxTimeMS: number) => Promise<ReadonlyMap<string, E.Either<ReadError, A>>>
  runners: Pick<Runners, 'withDeadline' | 'queueLookup' | 'queueExpensive'>
  /** Tells whether the server is a mongos. */
  isSharded: () => boolean
}>

/** Batches of reads in flight. A second batch hides the latency of the network. */
const lookupConcurrency = 2

/** The time without batches after a shard has failed one. */
const unbatchedMs = 10_000

/**
 * Creates a function that reads a row by id. Concurrent reads share a command. Behind mongos, a shard without a primary
 * fails every command that concerns it. After such a failure each read has a command of its own, and a slow read is
 * repeated in the queue of expensive jobs.
 */
export const createBatchedLookup = <A>({
  read,
  runners: { withDeadline, queueLookup, queueExpensive },
  isSharded,
}: LookupDependencies<A>): ((id: Id) => TE.TaskEither<ReadError, A>) => {
  let unbatchedUntil = Number.NEGATIVE_INFINITY

  const readUnbatched = (id: Id) =>
    withDeadline<ReadError, A>(({ signal }) => {
      const readWithin = (ms: number) => async () => (await read([id], ms)).get(String(id)) ?? E.left(notFound)
      return queueLookup(readWithin(quickMs), () => tooManyQueued, lookupMs).catch(error => {
        if (!isMaxTimeExpired(error) || signal.aborted) throw error
        return queueExpensive(readWithin(lookupMs), () => tooManyQueued)
      })
    })
  const readInBatch = createBatcher(lookupConcurrency, async (ids: readonly Id[]) => {
    const results = new Map<string, E.Either<ReadError, A>>()
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
