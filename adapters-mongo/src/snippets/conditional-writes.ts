import type { Expectation, Revision } from '@snippets/domain/entities/revision.js'
import { type Changes, namedChanges, type Snippet } from '@snippets/domain/entities/snippet.js'
import { type Corrupt, type NotFound, notFound, type Stale, stale } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, Filter } from 'mongodb'
import { maxTimeMS, type Operation } from '../connection/operation.js'
import type { SendWrite } from '../connection/writes.js'
import { isBadType, isRefusedRow, refusedWith } from '../documents/refusals.js'
import { type RetryKeys, withoutKey } from './retry-keys.js'
import { decodeSnippet, type SnippetDocument, storedFields } from './snippet-document.js'

type Target = Readonly<{ id: Id; expected: Expectation }>
type Refused = NotFound | Stale | Corrupt

const $inc = { version: 1 }

export const updateSnippet =
  (sendWrite: SendWrite, snippets: Collection<SnippetDocument>) =>
  async (operation: Operation, target: Target, changes: Changes): Promise<E.Either<Refused, Snippet>> => {
    const update = { $set: storedFields(namedChanges(changes)), $inc }
    try {
      const updated = await sendWrite(operation, session =>
        snippets.findOneAndUpdate(matching(target), update, { returnDocument: 'after', session }),
      )
      if (updated !== null) return decodeSnippet(updated)
    } catch (error) {
      if (!isBadType(error) && !isRefusedRow(error)) throw error
      operation.outcome = 'unapplied'
      if (isRefusedRow(error)) throw refusedWith(error.code)
    }
    operation.outcome = 'unapplied'
    return E.left(await whyRefused(snippets, target))
  }

export const deleteSnippet =
  (sendWrite: SendWrite, snippets: Collection<SnippetDocument>, keys: RetryKeys) =>
  async (operation: Operation, target: Target): Promise<E.Either<Refused, void>> => {
    const filter = matching(target)
    const deleteOne = async (matches: Filter<SnippetDocument>): Promise<boolean> => {
      const { deletedCount } = await sendWrite(operation, session => snippets.deleteOne(matches, { session }))
      if (deletedCount === 0) operation.outcome = 'unapplied'
      return deletedCount > 0
    }
    if (await deleteOne({ ...filter, ...withoutKey })) return E.right(undefined)
    // a key outlives its snippet
    if ((await keys.keepKeyOf(filter)) && (await deleteOne(filter))) return E.right(undefined)
    return E.left(await whyRefused(snippets, target))
  }

/** The expectation is part of the filter, so that the database compares and writes in one atomic step. */
const matching = ({ id, expected }: Target): Filter<SnippetDocument> => {
  const none = { _id: id, version: { $in: [] } }
  if (expected._tag === 'AnyRevision') return { _id: id }
  if (expected._tag === 'NoRevision') return none
  // `$or` and `$nor` must not be empty
  const revisions = expected.revisions.filter(isStorable).map(storedRevision)
  if (expected._tag === 'OneOf') return revisions.length === 0 ? none : { _id: id, $or: revisions }
  return revisions.length === 0 ? { _id: id } : { _id: id, $nor: revisions }
}

/** BSON would turn a time outside the range of Date into another one, which could match. */
const isStorable = ({ created_at }: Revision): boolean => new Date(created_at).getTime() === created_at

const storedRevision = ({ version, created_at }: Revision) => ({ version, created_at: new Date(created_at) })

/** Asks for what the write saw, which a majority may not have yet. */
const latest = { readConcern: { level: 'local' }, maxTimeMS } as const

const whyRefused = async (snippets: Collection<SnippetDocument>, { id, expected }: Target): Promise<Refused> => {
  const found = await snippets.findOne({ _id: id }, latest)
  if (found === null) return notFound
  const decoded = decodeSnippet(found)
  if (E.isLeft(decoded)) return decoded.left
  // a row that any revision would match was not there yet
  return expected._tag === 'AnyRevision' ? notFound : stale
}
