import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import type { Operation, WithDeadline } from '@snippets/application/remote-storage/operation.js'
import { contentFields, type Draft, firstVersion } from '@snippets/domain/entities/snippet.js'
import {
  type CreateError,
  idsExhausted,
  type KeyInUse,
  type KeyReused,
  keyInUse,
  rejected,
  unavailable,
} from '@snippets/domain/ports/errors.js'
import { type Created, type IdempotencyKey, isExpired, replay } from '@snippets/domain/ports/idempotency-key.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, WriteError } from 'mongodb'
import { isDuplicateKey, isRejectedRow, rejectedRows } from '../collections/rejections.js'
import type { SendWrite } from '../connection/writes.js'
import type { IdCounter } from './id-counter.js'
import type { IdempotencyKeys } from './idempotency-keys.js'
import { type SnippetDocument, snippetDocument } from './snippet-document.js'

type Creation = Readonly<{ draft: Draft; idempotencyKey?: IdempotencyKey }>
export type KeyError = KeyReused | KeyInUse
type CreationAnswer = E.Either<CreateError | KeyError, Created>
type CreationAnswers = Map<Creation, CreationAnswer>

export type CreationDependencies = Readonly<{
  /** Runs a batch without a queue, because `inBatches` limits the batches in flight. */
  withDeadline: WithDeadline
  sendWrite: SendWrite
  snippets: Collection<SnippetDocument>
  ids: IdCounter
  keys: IdempotencyKeys
}>

/**
 * The limit of attempts to insert a row. The database rejects a row as a duplicate if the counter is behind the
 * collection or if the key is in use. The counter then catches up, and the next round finds the key.
 */
const maxRounds = 3

/** An upper bound of the bytes of a document: content as escaped JSON, and 1000 for the key and the other fields. */
const maxDocumentBytes = Object.values(contentFields).reduce((sum, { maxJsonBytes }) => sum + maxJsonBytes, 1000)

/**
 * The limit of rows in one insert. They fit in 8 MiB, half the limit of a command. The driver would split a larger
 * insert, which could then have several outcomes.
 */
const maxInsertRows = Math.floor((8 * 1024 * 1024) / maxDocumentBytes)

const rejectedAsDuplicate = E.left(
  rejected(
    new LoggableError(`the database rejected a row ${maxRounds} times as a duplicate: is there another unique index?`),
  ),
)

/** Creates snippets in rounds. Each round reserves its ids in one step. Returns an answer for each creation. */
export const createBatch =
  (dependencies: CreationDependencies) =>
  async (creations: readonly Creation[]): Promise<readonly CreationAnswer[]> => {
    const { withDeadline, keys } = dependencies
    const answers: CreationAnswers = new Map()
    /** The answers if no later round succeeds. */
    const retryable: CreationAnswers = new Map()
    const isUnanswered = (creation: Creation): boolean => !answers.has(creation)
    const result = await withDeadline<never, void>(async operation => {
      for (let i = 0; i < maxRounds && creations.some(isUnanswered); i++) {
        await answerReplays(keys, creations.filter(isUnanswered), answers)
        await insertAndAnswer(dependencies, operation, uniqueByKey(creations.filter(isUnanswered)), answers, retryable)
      }
      await answerUnconfirmed(keys, creations.filter(isUnanswered), answers)
      return E.right(undefined)
    })
    const fallbackAnswer = (creation: Creation) => retryable.get(creation) ?? rejectedAsDuplicate
    return creations.map(creation => answers.get(creation) ?? (E.isLeft(result) ? result : fallbackAnswer(creation)))
  }

/** Answers the creations with a known key, and releases expired keys. */
const answerReplays = async (
  keys: IdempotencyKeys,
  creations: readonly Creation[],
  answers: CreationAnswers,
): Promise<void> => {
  const asked = keysOf(creations)
  if (asked.length === 0) return
  const records = await keys.find(asked)
  const expired = new Map<string, number>()
  for (const creation of creations) {
    const { draft, idempotencyKey } = creation
    const record = records.get(idempotencyKey?.key ?? '')
    if (idempotencyKey === undefined || record === undefined) continue
    if (E.isLeft(record)) answers.set(creation, record)
    else if (isExpired(record.right, draft.created_at)) expired.set(idempotencyKey.key, record.right.created_at)
    else answers.set(creation, replay(record.right, draft, idempotencyKey))
  }
  if (expired.size > 0) await keys.release([...expired.keys()], new Date(Math.max(...expired.values())))
}

/** Answers the creations whose key is in use, but has not been confirmed by a majority. */
const answerUnconfirmed = async (
  keys: IdempotencyKeys,
  creations: readonly Creation[],
  answers: CreationAnswers,
): Promise<void> => {
  const asked = keysOf(creations)
  if (asked.length === 0) return
  const inUse = await keys.findUnconfirmed(asked)
  for (const creation of creations) if (inUse.has(creation.idempotencyKey?.key)) answers.set(creation, E.left(keyInUse))
}

const keysOf = (creations: readonly Creation[]): readonly string[] =>
  creations.flatMap(({ idempotencyKey }) => (idempotencyKey === undefined ? [] : [idempotencyKey.key]))

/** Keeps one creation for each key. The next round finds the key for the others. */
const uniqueByKey = (creations: readonly Creation[]): readonly Creation[] => [
  ...new Map(creations.map(creation => [creation.idempotencyKey?.key ?? creation, creation])).values(),
]

/** Inserts and answers the creations. Duplicates, and creations that a retry may insert, stay unanswered. */
const insertAndAnswer = async (
  { sendWrite, snippets, ids }: CreationDependencies,
  operation: Operation,
  creations: readonly Creation[],
  answers: CreationAnswers,
  retryable: CreationAnswers,
): Promise<void> => {
  if (creations.length === 0) return
  const reserved = await ids.reserve(creations.length)
  for (const creation of creations.slice(reserved.length)) answers.set(creation, E.left(idsExhausted))
  const rows = creations.flatMap((creation, i) => {
    const id = reserved[i]
    return id === undefined ? [] : [{ creation, snippet: firstVersion(id, creation.draft) }]
  })
  for (let start = 0; start < rows.length; start += maxInsertRows) {
    const chunk = rows.slice(start, start + maxInsertRows)
    const documents = chunk.map(({ creation, snippet }) => snippetDocument(snippet, creation.idempotencyKey))
    const rejections = await sendWrite(operation, session =>
      snippets
        .insertMany(documents, { ordered: false, session })
        .then(() => new Map<number, WriteError>(), rejectedRows(documents.length)),
    )
    for (const [i, { creation, snippet }] of chunk.entries()) {
      const rejection = rejections.get(i)
      if (rejection === undefined) answers.set(creation, E.right({ item: snippet, isReplay: false }))
      else if (!isDuplicateKey(rejection)) {
        const cause = new LoggableError(`the database rejected a row with code ${rejection.code}`)
        if (isRejectedRow(rejection)) answers.set(creation, E.left(rejected(cause)))
        else retryable.set(creation, E.left(unavailable('unapplied', cause)))
      }
    }
  }
  if (rows.some(({ creation }) => !answers.has(creation))) await ids.catchUp()
}
