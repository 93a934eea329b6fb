import type { Expectation, Revision } from '@snippets/domain/entities/revision.js'
import type { Changes, Snippet } from '@snippets/domain/entities/snippet.js'
import { type Corrupt, type ListError, notFound, overloaded, stale } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import type { Id } from '@snippets/domain/values/id.js'
import { createBatcher } from '@snippets/remote-storage/batches.js'
import { decodeRowsWith } from '@snippets/remote-storage/decode-rows.js'
import type { Job, RunJob } from '@snippets/remote-storage/job.js'
import type { Runners } from '@snippets/remote-storage/runners.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Collection, Db } from 'mongodb'
import { asRaw, type RawRow, readBatch } from '../collections/raw-rows.js'
import type { SendWrite } from '../connection/writes.js'
import type { IdCounter } from './id-counter.js'
import { claimDocumentsIn, createKeyClaims, type KeyClaims } from './key-claims.js'
import { createSnippetCommands, type SnippetCommands } from './snippet-commands.js'
import { type Creation, type KeyedCreation, runCreations, runKeyedCreations } from './snippet-creation.js'
import { decodeSnippet, type SnippetDocument, type SnippetFilter, snippetDocumentsIn } from './snippet-document.js'
import { createSnippetLookup } from './snippet-lookup.js'
import { isExpensive, readSnippets } from './snippet-pages.js'

type StoreDependencies = Readonly<{
  runners: Runners
  db: Db
  sendWrite: SendWrite
  ids: IdCounter
  /** Tells whether the server is a mongos. */
  isSharded: () => boolean
  /** Called for each corrupt row that a list leaves out. */
  onCorrupt: (cause: unknown) => void
}>

/** Batches of creations in flight. A second batch would wait for the same flush of the journal. */
const creationConcurrency = 1
/** The rows of a batch of a list: few, because each stalled client holds a batch and the reply that contains it. */
const listBatchSize = 50

export const createSnippetStore = ({
  runners,
  db,
  sendWrite,
  ids,
  isSharded,
  onCorrupt,
}: StoreDependencies): SnippetStore => {
  const { withDeadline, runRead, runWrite, withExpensiveSlot, onFailure } = runners
  const snippetDocuments = snippetDocumentsIn(db)
  const commands = createSnippetCommands(sendWrite, snippetDocuments)
  const claims = createKeyClaims(sendWrite, claimDocumentsIn(db))
  const creating = { withDeadline, ids, commands, claims }
  // separate batches, so that a creation without a key does not wait for keys
  const create = createBatcher(creationConcurrency, (batch: readonly Creation[]) => runCreations(creating, batch))
  const createOnce = createBatcher(creationConcurrency, (batch: readonly KeyedCreation[]) =>
    runKeyedCreations(creating, batch),
  )
  const { update, remove } = createConditionalWrites(commands, claims)
  const decodeRows = decodeRowsWith(decodeSnippet, onCorrupt)
  const source = { collection: snippetDocuments, decodeRows, onCountFailure: onFailure }
  return {
    create: draft =>
      pipe(
        create({ draft }),
        TE.map(({ item }) => item),
      ),
    createOnce: (draft, keyed) => createOnce({ draft, keyed }),
    get: createSnippetLookup(runners, snippetDocuments, isSharded),
    update: (id, changes, expected) => () => runWrite(job => update(job, { id, expected }, changes)),
    delete: (id, expected) => () => runWrite(job => remove(job, { id, expected })),
    page: query => () =>
      isExpensive(query)
        ? withExpensiveSlot(
            () => withDeadline(({ signal }) => readSnippets({ ...source, signal }, query)),
            () => E.left(overloaded),
          )
        : runRead(({ signal }) => readSnippets({ ...source, signal, queueCount: withExpensiveSlot }, query)),
    all: () => streamAll(runRead, snippetDocuments, decodeRows),
  }
}

/** Streams all snippets by `_id`, which never changes: a snippet that exists throughout is sent exactly once. */
async function* streamAll(
  run: RunJob,
  snippetDocuments: Collection<SnippetDocument>,
  decodeRows: (rows: readonly RawRow[]) => readonly Snippet[],
): AsyncGenerator<E.Either<ListError, readonly Snippet[]>> {
  const cursor = snippetDocuments.find<RawRow>({}, { sort: { _id: 1 }, batchSize: listBatchSize, ...asRaw })
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

type Condition = Readonly<{ id: Id; expected: Expectation }>
type Result<A> = E.Either<typeof notFound | typeof stale | Corrupt, A>

const removed = E.right(undefined)

export const createConditionalWrites = (
  { update, remove, keysOf, readNewest }: SnippetCommands,
  { markDeletion }: KeyClaims,
) => {
  const mismatch = async ({ id, expected }: Condition): Promise<Result<never>> => {
    // a majority read could miss a row that a write finds
    const found = await readNewest(id)
    if (found === null) return E.left(notFound)
    const decoded = decodeSnippet(found)
    if (E.isLeft(decoded)) return decoded
    // Without an expectation, a write fails only if the row is missing. A row that is found now was inserted later.
    return E.left(expected.oneOf || expected.noneOf?.length ? stale : notFound)
  }
  return {
    update: async (job: Job, condition: Condition, changes: Changes): Promise<Result<Snippet>> => {
      const filter = filterOfCondition(condition)
      // the database would reject the increment of a malformed version
      const updated = filter && (await update(job, { ...filter, version: { $gte: 1 } }, changes))
      return updated || mismatch(condition)
    },
    /** Removes the row that matches. If it has a key, marks the claim first, because the key outlives the row. */
    remove: async (job: Job, condition: Condition): Promise<Result<void>> => {
      const filter = filterOfCondition(condition)
      if (filter === undefined) return mismatch(condition)
      if (await remove(job, { ...filter, idempotency_key: { $exists: false } })) return removed
      const key = (await keysOf([condition.id], 'local')).get(condition.id)
      if (key === undefined) return mismatch(condition)
      // harmless if the expectation is stale, because creations read the mark only if they find no row
      await markDeletion(job.signal, key, condition.id)
      return (await remove(job, filter)) ? removed : mismatch(condition)
    },
  }
}

/** Returns the filter of a write that compares atomically. Returns undefined if the expectation excludes each row. */
const filterOfCondition = ({ id, expected: { oneOf, noneOf = [] } }: Condition): SnippetFilter | undefined => {
  const stored = ({ version, created_at }: Revision) => ({ version, created_at: new Date(created_at) })
  // `$or` and `$nor` must not be empty
  if (oneOf?.length === 0) return undefined
  return { _id: id, ...(oneOf && { $or: oneOf.map(stored) }), ...(noneOf.length > 0 && { $nor: noneOf.map(stored) }) }
}
