import { type Corrupt, corrupt, type NotFound, notFound, type Stale, stale } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import type { Expectation, Revision } from '@snippets/domain/revision.js'
import { type Changes, namedChanges, type Snippet } from '@snippets/domain/snippet.js'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { type Collection, type Filter, type MongoClient, MongoServerError, type UpdateFilter } from 'mongodb'
import type { Attempt } from '../connection/attempt.js'
import { maxTimeMS } from '../connection/in-time.js'
import { sendWrite } from '../connection/send-write.js'
import { decodeSnippet, type SnippetDocument } from './snippet-document.js'

type Target = Readonly<{ id: Id; expected: Expectation; attempt: Attempt }>

export const updateSnippet =
  (client: MongoClient, snippets: Collection<SnippetDocument>) =>
  async (target: Target, changes: Changes): Promise<Either<NotFound | Stale | Corrupt, Snippet>> => {
    const { attempt } = target
    try {
      const updated = await sendWrite(client, [attempt], session =>
        snippets.findOneAndUpdate(matching(target), updateOf(changes), { returnDocument: 'after', session }),
      )
      return updated === null ? left(await whyNothingMatched(snippets, target)) : decodeSnippet(updated)
    } catch (error) {
      if (isTypeMismatch(error)) return left(corrupt(error))
      throw error
    }
  }

export const deleteSnippet =
  (client: MongoClient, snippets: Collection<SnippetDocument>) =>
  async (target: Target): Promise<Either<NotFound | Stale, void>> => {
    const { deletedCount } = await sendWrite(client, [target.attempt], session =>
      snippets.deleteOne(matching(target), { session }),
    )
    return deletedCount > 0 ? right(undefined) : left(await whyNothingMatched(snippets, target))
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

const updateOf = (changes: Changes): UpdateFilter<SnippetDocument> => {
  const named = namedChanges(changes)
  return { ...(Object.keys(named).length > 0 && { $set: named }), $inc: { version: 1 } }
}

/** A write that matched nothing also wrote nothing, even if this question finds no answer. */
const whyNothingMatched = async (
  snippets: Collection<SnippetDocument>,
  { id, expected, attempt }: Target,
): Promise<NotFound | Stale> => {
  attempt.notApplied()
  if (expected._tag === 'AnyRevision') return notFound
  const found = await snippets.findOne({ _id: id }, { projection: { _id: 1 }, maxTimeMS })
  return found === null ? notFound : stale
}

/** The stored version is not a number, so the database cannot add to it. */
const isTypeMismatch = (error: unknown): boolean => error instanceof MongoServerError && error.code === 14
