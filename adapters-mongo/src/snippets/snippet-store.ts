import { corrupt, notFound, stale, type WriteError } from '@snippets/domain/errors.js'
import type { Id } from '@snippets/domain/id.js'
import { shapeOf } from '@snippets/domain/page.js'
import type { Expected, SnippetStore } from '@snippets/domain/ports.js'
import { textFields } from '@snippets/domain/rules.js'
import type { Changes, Revision } from '@snippets/domain/snippet.js'
import { left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { type Collection, type Filter, type MongoClient, MongoServerError, type UpdateFilter } from 'mongodb'
import { type Attempt, type Attempts, handOver, mark, maxTimeMS } from './attempt.js'
import { batched } from './batching.js'
import { type SnippetDocument, snippetFrom } from './documents.js'
import type { Ids } from './ids.js'
import { sortOf } from './indexes.js'
import { readPage } from './page-reader.js'
import { createTogether } from './snippet-creation.js'
import { lookUpTogether } from './snippet-lookup.js'
import { streamAll } from './snippet-stream.js'

// a second batch of lookups hides the way over a network; creations wait for the same journal, so a second gains nothing
const isOver = ({ attempt }: Readonly<{ attempt: Attempt }>): boolean => attempt.over
const lookups = { isOver, size: 100, lanes: 2, stuckAfter: 250 }
const creations = { isOver, size: 100, lanes: 1, stuckAfter: 250 }

export const snippetStore = (
  attempts: Attempts,
  client: MongoClient,
  snippets: Collection<SnippetDocument>,
  ids: Ids,
): SnippetStore => {
  const { reading, writing } = attempts
  const enqueueLookup = batched(lookUpTogether(snippets), lookups)
  const enqueueCreation = batched(createTogether(client, snippets, ids), creations)

  /** Tells why a write matched nothing, which also means that it wrote nothing. */
  const whyNothingMatched = async (id: Id, expected: Expected): Promise<WriteError> => {
    if (isNone(expected)) return notFound
    const found = await snippets.findOne({ _id: id }, { projection: { _id: 1 }, maxTimeMS })
    return found === null ? notFound : stale
  }

  return {
    create: draft => writing(attempt => new Promise(answer => enqueueCreation({ draft, attempt, answer }))),

    get: id => reading(attempt => new Promise(answer => enqueueLookup({ id, attempt, answer }))),

    update: (id, changes, expected) =>
      writing(async attempt => {
        try {
          const updated = await handOver(client, [attempt], session =>
            snippets.findOneAndUpdate(matching(id, expected), toApply(changes), { returnDocument: 'after', session }),
          )
          if (updated !== null) return snippetFrom(updated)
          mark([attempt], 'unapplied')
          return left(await whyNothingMatched(id, expected))
        } catch (error) {
          if (isTypeMismatch(error)) return left(corrupt(error))
          throw error
        }
      }),

    delete: (id, expected) =>
      writing(async attempt => {
        const { deletedCount } = await handOver(client, [attempt], session =>
          snippets.deleteOne(matching(id, expected), { session }),
        )
        if (deletedCount > 0) return right(undefined)
        mark([attempt], 'unapplied')
        return left(await whyNothingMatched(id, expected))
      }),

    page: query =>
      reading(() =>
        readPage(snippets, {
          filter: query.filter,
          sort: sortOf(shapeOf(query)),
          window: query.window,
          decode: snippetFrom,
        }),
      ),

    all: () => streamAll(attempts, snippets),
  }
}

const matching = (id: Id, expected: Expected): Filter<SnippetDocument> => {
  if (isNone(expected)) return { _id: id }
  const revisions = expected.value.flatMap(storedRevision)
  return revisions.length === 0 ? { _id: id, version: { $in: [] } } : { _id: id, $or: revisions }
}

/** A moment that no date can hold would be written as another one, and match what it should not. */
const storedRevision = ({ version, created_at }: Revision): Pick<SnippetDocument, 'version' | 'created_at'>[] => {
  const date = new Date(created_at)
  return date.getTime() === created_at ? [{ version, created_at: date }] : []
}

const toApply = (changes: Changes): UpdateFilter<SnippetDocument> => {
  const set = Object.fromEntries(
    textFields.flatMap(field => (changes[field] === undefined ? [] : [[field, changes[field]]])),
  )
  return { ...(Object.keys(set).length > 0 && { $set: set }), $inc: { version: 1 } }
}

/** The stored version is no number, so that nothing can be added to it. */
const isTypeMismatch = (error: unknown): boolean => error instanceof MongoServerError && error.code === 14
