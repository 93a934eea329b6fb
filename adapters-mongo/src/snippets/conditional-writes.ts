import type { Operation } from '@snippets/application/remote-storage/operation.js'
import type { Expectation, Revision } from '@snippets/domain/entities/revision.js'
import { type Changes, contentFields, maxInstant, minInstant, type Snippet } from '@snippets/domain/entities/snippet.js'
import { type Corrupt, type NotFound, notFound, type Stale, stale } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as R from 'fp-ts/lib/Record.js'
import type { Collection, Filter } from 'mongodb'
import { localRead } from '../collections/time-limits.js'
import type { SendWrite } from '../connection/writes.js'
import { hasNoKey, type IdempotencyKeys } from './idempotency-keys.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

type Target = Readonly<{ id: Id; expected: Expectation }>
type Mismatch = NotFound | Stale | Corrupt

const $inc = { version: 1 }

export const conditionalUpdate =
  (sendWrite: SendWrite, snippets: Collection<SnippetDocument>) =>
  async (operation: Operation, target: Target, changes: Changes): Promise<E.Either<Mismatch, Snippet>> => {
    const filter = { ...targetFilter(target), ...wellFormedExcept(Object.keys(changes)) }
    const updated = await sendWrite(operation, session =>
      snippets.findOneAndUpdate(filter, { $set: changes, $inc }, { returnDocument: 'after', session }),
    )
    return updated === null ? E.left(await mismatchOf(snippets, target)) : decodeSnippet(updated)
  }

export const conditionalDelete =
  (sendWrite: SendWrite, snippets: Collection<SnippetDocument>, keys: IdempotencyKeys) =>
  async (operation: Operation, target: Target): Promise<E.Either<Mismatch, void>> => {
    const filter = targetFilter(target)
    const deleteOne = async (matches: Filter<SnippetDocument>): Promise<boolean> =>
      (await sendWrite(operation, session => snippets.deleteOne(matches, { session }))).deletedCount > 0
    if (await deleteOne({ ...filter, ...hasNoKey })) return E.right(undefined)
    // a key outlives its snippet
    if ((await keys.copyKeyOf(filter)) && (await deleteOne(filter))) return E.right(undefined)
    return E.left(await mismatchOf(snippets, target))
  }

/** Returns a filter that includes the expectation, so that the database compares and writes in one atomic step. */
const targetFilter = ({ id, expected }: Target): Filter<SnippetDocument> => {
  const matchesNothing = { _id: id, version: { $in: [] } }
  // `$or` and `$nor` must not be empty
  const revisions = expected.revisions.filter(isStorable).map(storedRevision)
  if (expected._tag === 'OneOf') return revisions.length === 0 ? matchesNothing : { _id: id, $or: revisions }
  return revisions.length === 0 ? { _id: id } : { _id: id, $nor: revisions }
}

/** Tells whether BSON can store the time. A time outside the range of Date would become another, which could match. */
const isStorable = ({ created_at }: Revision): boolean => new Date(created_at).getTime() === created_at

const storedRevision = ({ version, created_at }: Revision) => ({ version, created_at: new Date(created_at) })

/** Returns the schema without annotations, because MongoDB rejects some annotations. */
const schemaOf = ({ schema }: Readonly<{ schema: object }>): object =>
  JSON.parse(JSON.stringify(schema, (key, value) => (['examples', 'description'].includes(key) ? undefined : value)))

const fieldSchemas = {
  ...R.map(schemaOf)(contentFields),
  _id: { bsonType: 'long' },
  created_at: { bsonType: 'date' },
  version: { bsonType: ['int', 'long', 'double'], minimum: 1, maximum: Number.MAX_SAFE_INTEGER - 1, multipleOf: 1 },
}

/** The valid times, tested apart because `$jsonSchema` has no limits for dates. */
const timeRange = { $gte: new Date(minInstant), $lte: new Date(maxInstant) }

/** Returns a filter for rows whose other fields are valid, so that an update never leaves a row malformed. */
const wellFormedExcept = (replaced: readonly string[]): Filter<SnippetDocument> => {
  const properties = R.filterWithIndex(field => !replaced.includes(field))(fieldSchemas)
  return { $jsonSchema: { required: Object.keys(properties), properties }, created_at: timeRange }
}

const mismatchOf = async (snippets: Collection<SnippetDocument>, { id, expected }: Target): Promise<Mismatch> => {
  const found = await snippets.findOne({ _id: id }, localRead)
  if (found === null) return notFound
  const decoded = decodeSnippet(found)
  if (E.isLeft(decoded)) return decoded.left
  // any revision would have matched, so the row was created or repaired after the write
  return expected._tag === 'NoneOf' && expected.revisions.length === 0 ? notFound : stale
}
