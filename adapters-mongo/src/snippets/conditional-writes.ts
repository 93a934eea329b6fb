import { type Corrupt, type NotFound, notFound, type Stale, stale } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { Expectation, Revision } from '@snippets/domain/revision.js'
import { type Changes, type Content, namedChanges, type Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, Filter, MongoClient, UpdateFilter } from 'mongodb'
import type { Attempt } from '../connection/attempt.js'
import { maxTimeMS } from '../connection/in-time.js'
import { isRefused } from '../connection/refused-row.js'
import { sendWrite } from '../connection/send-write.js'
import { type RetryKeys, withoutKey } from './retry-keys.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'
import { validBeside } from './valid-document.js'

type Target = Readonly<{ id: Id; expected: Expectation; attempt: Attempt }>

export const updateSnippet =
  (client: MongoClient, snippets: Collection<SnippetDocument>) =>
  async (target: Target, changes: Changes): Promise<E.Either<NotFound | Stale | Corrupt, Snippet>> => {
    const named = namedChanges(changes)
    // a malformed row does not match, so that nobody is told of a failure that was applied
    const filter = Object.assign(matching(target), validBeside(named))
    try {
      const updated = await sendWrite(client, [target.attempt], session =>
        snippets.findOneAndUpdate(filter, updateOf(named), { returnDocument: 'after', session }),
      )
      return updated === null ? E.left(await whyNotUpdated(snippets, target, named)) : decodeSnippet(updated)
    } catch (error) {
      if (isRefused(error)) target.attempt.notApplied()
      throw error
    }
  }

export const deleteSnippet =
  (client: MongoClient, snippets: Collection<SnippetDocument>, keys: RetryKeys) =>
  async (target: Target): Promise<E.Either<NotFound | Stale, void>> => {
    const filter = matching(target)
    const deleteOne = async (matches: Filter<SnippetDocument>): Promise<boolean> => {
      const answer = await sendWrite(client, [target.attempt], session => snippets.deleteOne(matches, { session }))
      if (answer.deletedCount === 0) target.attempt.notApplied()
      return answer.deletedCount > 0
    }
    if (await deleteOne({ ...filter, ...withoutKey })) return E.right(undefined)
    // a key outlives its snippet
    if ((await keys.keepKeyOf(filter)) && !target.attempt.isOver() && (await deleteOne(filter)))
      return E.right(undefined)
    return E.left(await whyNotDeleted(snippets, target))
  }

/** The expectation is part of the filter, so that the database compares and writes in one atomic step. */
const matching = ({ id, expected }: Target): Filter<SnippetDocument> => {
  switch (expected._tag) {
    case 'AnyRevision':
      return { _id: id }
    case 'OneOf':
      return { _id: id, ...anyOf('$or', expected.revisions, { version: { $in: [] } }) }
    case 'NoneOf':
      return { _id: id, ...anyOf('$nor', expected.revisions, {}) }
    case 'NoRevision':
      return { _id: id, version: { $in: [] } }
  }
}

/** `$or` and `$nor` must not be empty. */
const anyOf = (
  operator: '$or' | '$nor',
  revisions: readonly Revision[],
  ifEmpty: Filter<SnippetDocument>,
): Filter<SnippetDocument> => {
  const stored = revisions.flatMap(storedRevision)
  return stored.length === 0 ? ifEmpty : { [operator]: stored }
}

/** Nothing outside the range of Date is stored. BSON would turn it into another date, which could match. */
const storedRevision = ({ version, created_at }: Revision): Pick<SnippetDocument, 'version' | 'created_at'>[] => {
  const date = new Date(created_at)
  return date.getTime() === created_at ? [{ version, created_at: date }] : []
}

const $inc = { version: 1 }

const updateOf = (named: Partial<Content>): UpdateFilter<SnippetDocument> =>
  Object.keys(named).length > 0 ? { $set: named, $inc } : { $inc }

/** Asks for what the write saw, which a majority may not have yet. */
const latest = { readConcern: { level: 'local' }, maxTimeMS } as const

const whyNotUpdated = async (
  snippets: Collection<SnippetDocument>,
  { id, expected, attempt }: Target,
  named: Partial<Content>,
): Promise<NotFound | Stale | Corrupt> => {
  attempt.notApplied()
  const found = await snippets.findOne({ _id: id }, latest)
  if (found === null) return notFound
  const wouldBe = decodeSnippet({ ...found, ...named })
  if (E.isLeft(wouldBe)) return wouldBe.left
  // a row that any revision would match was not there yet
  return expected._tag === 'AnyRevision' ? notFound : stale
}

const whyNotDeleted = async (
  snippets: Collection<SnippetDocument>,
  { id, expected }: Target,
): Promise<NotFound | Stale> => {
  if (expected._tag === 'AnyRevision') return notFound
  const found = await snippets.findOne({ _id: id }, { ...latest, projection: { _id: 1 } })
  return found === null ? notFound : stale
}
