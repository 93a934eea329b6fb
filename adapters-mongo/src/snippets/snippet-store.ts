import { decodeRowsWith, type OnMalformed } from '@snippets/application/remote-storage/decode-rows.js'
import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import type { WithDeadline } from '@snippets/application/remote-storage/operation.js'
import type { RunQueued } from '@snippets/application/remote-storage/queue.js'
import { type CreateError, corrupt, keysUnavailable, overloaded, unavailable } from '@snippets/domain/ports/errors.js'
import type { Created } from '@snippets/domain/ports/idempotency-key.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import { inBatches } from '../connection/batches.js'
import { conditionalDelete, conditionalUpdate } from './conditional-writes.js'
import { type CreationDependencies, createBatch, type KeyError } from './snippet-creation.js'
import { decodeSnippet } from './snippet-document.js'
import { lookUpBatch } from './snippet-lookup.js'
import { isScan, readSnippets } from './snippet-pages.js'
import { streamAll } from './snippet-stream.js'

/** An observer of batches, called with the operation and the size before a batch is sent. */
export type OnBatch = (operation: string, size: number) => void

/** The state of the unique index of keys: not built yet, built, or rejected by the database. */
export type KeyIndexState = 'missing' | 'ready' | 'rejected'

type StoreDependencies = CreationDependencies &
  Readonly<{
    /** Runs the operations that are not batched, in their queue. */
    queuedWithDeadline: WithDeadline
    /** Runs scans, in a separate queue. */
    runScan: RunQueued
    keyIndexState: () => KeyIndexState
    onBatch: OnBatch
    onMalformed: OnMalformed
  }>

/** A second batch hides the latency of the network. */
const lookupConcurrency = 2
/** A second batch would wait for the same flush of the journal. */
const creationConcurrency = 1

const keysNotReady = new LoggableError('not sent: the unique index of idempotency keys is not built yet')

export const snippetStore = (dependencies: StoreDependencies): SnippetStore => {
  const { withDeadline, queuedWithDeadline, runScan, sendWrite, snippets, keys, onBatch, keyIndexState, onMalformed } =
    dependencies
  const observe = (operation: string) => (size: number) => onBatch(operation, size)
  const lookUp = inBatches(lookupConcurrency, observe('snippets.get'), lookUpBatch(withDeadline, snippets))
  const createInBatches = () => inBatches(creationConcurrency, observe('snippets.create'), createBatch(dependencies))
  // separate batches, so that a creation without a key does not wait for keys
  const [create, createOnce] = [createInBatches(), createInBatches()]
  const update = conditionalUpdate(sendWrite, snippets)
  const remove = conditionalDelete(sendWrite, snippets, keys)
  const decodeRows = decodeRowsWith(decodeSnippet, onMalformed)
  return {
    create: draft => async () => E.bimap(toCreateError, (made: Created) => made.item)(await create({ draft })),
    createOnce: (draft, idempotencyKey) => async () => {
      if (keyIndexState() === 'missing') return E.left(unavailable('unapplied', keysNotReady))
      return keyIndexState() === 'ready' ? createOnce({ draft, idempotencyKey }) : E.left(keysUnavailable)
    },
    get: id => () => lookUp(id),
    update: (id, changes, expected) => () =>
      queuedWithDeadline(operation => update(operation, { id, expected }, changes)),
    delete: (id, expected) => () => queuedWithDeadline(operation => remove(operation, { id, expected })),
    page: query => () =>
      isScan(query)
        ? runScan(
            () => withDeadline(() => readSnippets({ snippets, decodeRows }, query)),
            () => E.left(overloaded),
          )
        : queuedWithDeadline(() => readSnippets({ snippets, decodeRows, runScan }, query)),
    all: () => streamAll(queuedWithDeadline, snippets, decodeRows),
  }
}

/** Converts an error of a key to `Corrupt`. It cannot occur, because the creation has no key. */
const toCreateError = (error: CreateError | KeyError): CreateError =>
  error._tag === 'KeyReused' || error._tag === 'KeyInUse' ? corrupt(error) : error
