import { decodeRowsWith, type OnMalformed } from '@snippets/application/remote-storage/decode-rows.js'
import type { Timers, WithDeadline } from '@snippets/application/remote-storage/operation.js'
import type { RunQueued } from '@snippets/application/remote-storage/queue.js'
import { overloaded } from '@snippets/domain/ports/errors.js'
import type { Created } from '@snippets/domain/ports/idempotency-key.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection } from 'mongodb'
import { inBatches } from '../connection/batches.js'
import { conditionalDelete, conditionalUpdate } from './conditional-writes.js'
import type { KeyClaims } from './key-claims.js'
import { type CreationDependencies, createBatch, createOnceBatch } from './snippet-creation.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'
import { lookUpBatch } from './snippet-lookup.js'
import { isScan, readSnippets } from './snippet-pages.js'
import type { SnippetRows } from './snippet-rows.js'
import { streamAll } from './snippet-stream.js'

type StoreDependencies = CreationDependencies &
  Readonly<{
    timers: Timers
    snippets: Collection<SnippetDocument>
    rows: SnippetRows
    claims: KeyClaims
    /** Runs the operations that are not batched, in their queue. */
    queuedWithDeadline: WithDeadline
    /** Runs scans, in a separate queue. */
    runScan: RunQueued
    onMalformed: OnMalformed
  }>

/** Batches of reads in flight. A second batch hides the latency of the network. */
const lookupConcurrency = 2
/** Batches of creations in flight. A second batch would wait for the same flush of the journal. */
const creationConcurrency = 1

export const snippetStore = (dependencies: StoreDependencies): SnippetStore => {
  const { timers, withDeadline, queuedWithDeadline, runScan, snippets, onMalformed } = dependencies
  const lookUp = inBatches(timers, lookupConcurrency, lookUpBatch(withDeadline, snippets))
  // separate batches, so that a creation without a key does not wait for keys
  const create = inBatches(timers, creationConcurrency, createBatch(dependencies))
  const createOnce = inBatches(timers, creationConcurrency, createOnceBatch(dependencies))
  const update = conditionalUpdate(dependencies.rows)
  const remove = conditionalDelete(dependencies)
  const decodeRows = decodeRowsWith(decodeSnippet, onMalformed)
  return {
    create: draft => async () => E.map((created: Created) => created.item)(await create({ draft })),
    createOnce: (draft, idempotencyKey) => () => createOnce({ draft, idempotencyKey }),
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
