import { contentFields, type Snippet } from '@snippets/domain/entities/snippet.js'
import type { Corrupt } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import type { Job } from '@snippets/remote-storage/job.js'
import type * as E from 'fp-ts/lib/Either.js'
import type { Collection, Long } from 'mongodb'
import { asRaw, lenientDecoding, type RawRow } from '../collections/raw-rows.js'
import { failedRows, type WriteFailure } from '../connection/server-errors.js'
import { lookupMs, makeLookupOptions } from '../connection/timeouts.js'
import type { SendWrite } from '../connection/writes.js'
import { decodeSnippet, type SnippetDocument, type SnippetFilter } from './snippet-document.js'

export type SnippetCommands = ReturnType<typeof createSnippetCommands>

/** An upper bound of the bytes of a document: 4 for a code point in UTF-8, 1000 for the key and the other fields. */
const maxDocumentBytes = Object.values(contentFields).reduce((sum, { limits }) => sum + 4 * limits.max, 1000)

/**
 * The limit of rows in one insert. They fit in 8 MiB, half the limit of a command. The driver would split a larger
 * insert, which could then have several outcomes.
 */
export const maxInsertRows = Math.floor((8 * 1024 * 1024) / maxDocumentBytes)

/** MongoDB may cut the text of an error within a character. The driver must decode the error even so. */
const updateOptions = { returnDocument: 'after', enableUtf8Validation: false, ...asRaw } as const

type KeyOfRow = Readonly<{ id: Long; idempotency_key?: string }>

/** Creates the commands that write snippets, and the reads that decide about a write. */
export const createSnippetCommands = (sendWrite: SendWrite, snippetDocuments: Collection<SnippetDocument>) => ({
  /** Inserts at most `maxInsertRows` documents. Returns the failures by index; all other documents are stored. */
  insert: (job: Job, documents: readonly SnippetDocument[]): Promise<ReadonlyMap<number, WriteFailure>> =>
    sendWrite(job, options => failedRows(snippetDocuments.insertMany(documents, { ordered: false, ...options }), job)),
  /**
   * Returns the idempotency key of each snippet that exists. An election may roll back a row that only a local read
   * finds; a majority read may miss a new row.
   */
  keysOf: async (ids: readonly Id[], level: 'majority' | 'local'): Promise<ReadonlyMap<bigint, string | undefined>> => {
    if (ids.length === 0) return new Map()
    // an operator may have stored an equal number of another type
    const projection = { _id: 0, id: { $toLong: '$_id' }, idempotency_key: 1 }
    const options = { ...makeLookupOptions(ids.length), ...lenientDecoding, readConcern: { level }, projection }
    const found = await snippetDocuments.find<KeyOfRow>({ _id: { $in: [...ids] } }, options).toArray()
    return new Map(found.map(({ id, idempotency_key }) => [id.toBigInt(), idempotency_key]))
  },
  /** Reads the newest version of a row, as writes do, even if a majority has not confirmed it. */
  readNewest: (id: Id): Promise<RawRow | null> =>
    snippetDocuments.findOne<RawRow>({ _id: id }, { readConcern: { level: 'local' }, maxTimeMS: lookupMs, ...asRaw }),
  /** Updates the row that matches, and returns it. */
  update: async (
    job: Job,
    filter: SnippetFilter,
    $set: Partial<SnippetDocument>,
  ): Promise<E.Either<Corrupt, Snippet> | null> => {
    const update = { $set, $inc: { version: 1 } }
    const row: unknown = await sendWrite(job, options =>
      snippetDocuments.findOneAndUpdate(filter, update, { ...updateOptions, ...options }),
    )
    return row instanceof Uint8Array ? decodeSnippet(row) : null
  },
  /**
   * Removes the row that matches, and tells whether there was one. The hint keeps the planner from an index of another
   * condition. `update` has no hint, because DocumentDB, on which the tests can run, implements none there.
   */
  remove: async (job: Job, filter: SnippetFilter): Promise<boolean> =>
    (await sendWrite(job, options => snippetDocuments.deleteOne(filter, { hint: { _id: 1 }, ...options })))
      .deletedCount > 0,
})
