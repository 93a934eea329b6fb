import type { Created } from '@snippets/domain/entities/idempotency-key.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { type Corrupt, type ListError, overloaded } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import type { Id } from '@snippets/domain/values/id.js'
import { createBatcher } from '@snippets/remote-storage/batches.js'
import { type DecodeRows, decodeRowsWith, type OnCorrupt } from '@snippets/remote-storage/decode-rows.js'
import type { WithDeadline } from '@snippets/remote-storage/operation.js'
import type { Operations } from '@snippets/remote-storage/operations.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Collection } from 'mongodb'
import { readBatch } from '../collections/cursors.js'
import { makeLookupOptions } from '../collections/lookups.js'
import { asRaw, idOfRaw, type RawRow } from '../collections/stored-values.js'
import { createBatchedLookup } from '../connection/batched-lookup.js'
import { createConditionalWrites } from './conditional-writes.js'
import {
  type Creation,
  type CreationDependencies,
  type KeyedCreation,
  runCreations,
  runKeyedCreations,
} from './snippet-creation.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'
import { isExpensive, readSnippets } from './snippet-pages.js'

type StoreDependencies = CreationDependencies &
  Readonly<{
    operations: Operations
    snippetDocuments: Collection<SnippetDocument>
    /** Tells whether the server is a mongos. */
    isSharded: () => boolean
    onCorrupt: OnCorrupt
    onCountFailure: (cause: unknown) => void
  }>

/** Batches of creations in flight. A second batch would wait for the same flush of the journal. */
const creationConcurrency = 1
/** The rows of a batch of a list: few, because each stalled client holds a batch and the reply that contains it. */
const listBatchSize = 50

export const createSnippetStore = (dependencies: StoreDependencies): SnippetStore => {
  const { operations, snippetDocuments, isSharded, commands, claims, onCorrupt, onCountFailure } = dependencies
  const { withDeadline, runRead, runWrite, queueExpensive } = operations
  // separate batches, so that a creation without a key does not wait for keys
  const create = createBatcher(creationConcurrency, (batch: readonly Creation[]) => runCreations(dependencies, batch))
  const createOnce = createBatcher(creationConcurrency, (batch: readonly KeyedCreation[]) =>
    runKeyedCreations(dependencies, batch),
  )
  const { update, remove } = createConditionalWrites(commands, claims)
  const decodeRows = decodeRowsWith(decodeSnippet, onCorrupt)
  const source = { collection: snippetDocuments, decodeRows, onCountFailure }
  return {
    create: draft => pipe(create({ draft }), TE.map(itemOf)),
    createOnce: (draft, keyed) => createOnce({ draft, keyed }),
    get: createBatchedLookup({ read: readByIds(snippetDocuments), operations, isSharded }),
    update: (id, changes, expected) => () => runWrite(operation => update(operation, { id, expected }, changes)),
    delete: (id, expected) => () => runWrite(operation => remove(operation, { id, expected })),
    page: query => () =>
      isExpensive(query)
        ? queueExpensive(
            () => withDeadline(({ signal }) => readSnippets({ ...source, signal }, query)),
            () => E.left(overloaded),
          )
        : runRead(({ signal }) => readSnippets({ ...source, signal, queueExpensive }, query)),
    all: () => streamAll(runRead, snippetDocuments, decodeRows),
  }
}

/** Returns the result of each snippet that exists, by the digits of its id. An `_id` of another type is malformed. */
const readByIds =
  (collection: Collection<SnippetDocument>) =>
  async (ids: readonly Id[], maxTimeMS: number): Promise<ReadonlyMap<string, E.Either<Corrupt, Snippet>>> => {
    const options = { ...makeLookupOptions(ids.length), maxTimeMS, ...asRaw }
    const rows = await collection.find<RawRow>({ _id: { $in: ids } }, options).toArray()
    return new Map(rows.map(row => [idOfRaw(row), decodeSnippet(row)]))
  }

const itemOf = ({ item }: Created): Snippet => item

/** Streams all snippets by `_id`, which never changes: a snippet that exists throughout is sent exactly once. */
async function* streamAll(
  run: WithDeadline,
  collection: Collection<SnippetDocument>,
  decodeRows: DecodeRows<Snippet, RawRow>,
): AsyncGenerator<E.Either<ListError, readonly Snippet[]>> {
  const cursor = collection.find<RawRow>({}, { sort: { _id: 1 }, batchSize: listBatchSize, ...asRaw })
  let reply: Promise<unknown> = Promise.resolve()
  const read = async () => {
    const batch = readBatch(cursor)
    reply = batch
    return E.right(await batch)
  }
  try {
    for (;;) {
      const batch = await run(read)
      if (E.isRight(batch) && batch.right.length === 0) return
      yield E.map(decodeRows)(batch)
      if (E.isLeft(batch)) return
    }
  } finally {
    // waits for a late reply: it has the id of the cursor, without which the driver cannot close it in the database
    reply.finally(() => cursor.close()).catch(() => undefined)
  }
}
