// A command costs a database far more than one of its rows, so concurrent calls share a command. Their items wait in
// one list, and the queue holds a run for each batch that they fill, and one for the rest. A run takes the items that
// wait when its slot becomes free, so batches grow with the load. A run that gets no slot in time begins anyway,
// because every item needs a result. When `concurrency` full batches wait, further items are rejected.

import type { Unavailable } from '@snippets/domain/ports/errors.js'
import type * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { createJobQueue, tooManyQueued } from './queue.js'

/** The limit of items in one batch. A driver may split a larger command. */
const maxBatchSize = 999

/** Returns one result for each item, in the same order. MUST NOT reject, and MUST end within `deadlineMs`. */
type RunBatch<Item, Err, A> = (items: readonly Item[]) => Promise<readonly E.Either<Err, A>[]>

type WaitingItem<Item, Err, A> = Readonly<{ item: Item; resolve: (result: E.Either<Err, A>) => void }>

/** Creates a function that adds an item to a batch. `concurrency` is the number of slots for batches in flight. */
export const createBatcher = <Item, Err, A>(
  concurrency: number,
  run: RunBatch<Item, Err, A>,
): ((item: Item) => TE.TaskEither<Err | Unavailable, A>) => {
  const queue = createJobQueue(concurrency)
  const waiting: WaitingItem<Item, Err | Unavailable, A>[] = []
  const runBatch = async (): Promise<void> => {
    const batch = waiting.splice(0, maxBatchSize)
    const results = await run(batch.map(({ item }) => item))
    for (const [i, result] of results.entries()) batch[i]?.resolve(result)
  }
  return item => async () => {
    if (waiting.length >= maxBatchSize * concurrency) return tooManyQueued
    // in an immediate, so that Node first reads the next requests of the clients that were just answered
    if (waiting.length % maxBatchSize === 0) setImmediate(() => queue.run(runBatch, runBatch))
    return new Promise(resolve => waiting.push({ item, resolve }))
  }
}
