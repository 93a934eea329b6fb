import { idsExhausted, unavailable } from '@snippets/domain/errors.js'
import { firstVersion, type Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Collection, MongoClient } from 'mongodb'
import { refusedWith } from '../connection/refused-row.js'
import { sendWrite } from '../connection/send-write.js'
import { isDuplicate, type RefusedInserts, refusedInserts } from '../documents/refused-inserts.js'
import type { Creation } from './creation.js'
import type { IdCounter } from './id-counter.js'
import { answerReplays } from './replays.js'
import type { RetryKeys } from './retry-keys.js'
import { type SnippetDocument, snippetDocument } from './snippet-document.js'

type Row = Readonly<{ creation: Creation; snippet: Snippet }>

/**
 * An id is taken only when the counter lags behind the collection. Once it has caught up, that cannot happen again. An
 * insert that cannot be sent, as during an election, finds a server at the next try or the one after.
 */
const tries = 3

/** Creates all of them with one step of the counter and one insert, and answers each by itself. */
export const createTogether =
  (client: MongoClient, snippets: Collection<SnippetDocument>, ids: IdCounter, keys: RetryKeys) =>
  async (creations: readonly Creation[]): Promise<void> => {
    let open = creations
    try {
      for (let i = 0; i < tries && open.length > 0; i++) {
        open = await answerReplays(keys)(open)
        const { firsts, repetitions } = onceEachKey(open)
        if (open.length > 0) open = [...(await insertOnce(client, snippets, ids, firsts)), ...repetitions]
      }
      fail(open, new Error(`the database refused ${tries} ids in a row as duplicates`))
    } catch (cause) {
      fail(open, cause)
    }
  }

/** A batch inserts a key once: what repeats it would be refused, and finds the key in the next round. */
const onceEachKey = (creations: readonly Creation[]) => {
  const keys = new Set<string>()
  const firsts: Creation[] = []
  const repetitions: Creation[] = []
  for (const creation of creations) {
    const key = creation.retry?.key
    if (key !== undefined && keys.has(key)) repetitions.push(creation)
    else firsts.push(creation)
    if (key !== undefined) keys.add(key)
  }
  return { firsts, repetitions }
}

const fail = (creations: readonly Creation[], cause: unknown): void => {
  for (const { answer, attempt } of creations) answer(E.left(unavailable(attempt.outcome, cause)))
}

/** Returns the creations to retry because their ids were taken, or their keys. */
const insertOnce = async (
  client: MongoClient,
  snippets: Collection<SnippetDocument>,
  ids: IdCounter,
  creations: readonly Creation[],
): Promise<readonly Creation[]> => {
  const reserved = await ids.reserve(creations.length)
  for (const { answer } of creations.slice(reserved.length)) answer(E.left(idsExhausted))
  const rows = reserved.flatMap((id, i): Row[] => {
    const creation = creations[i]
    return creation === undefined ? [] : [{ creation, snippet: firstVersion(id, creation.draft) }]
  })

  const duplicates = await insertAwaited(client, snippets, rows)
  for (const { attempt } of duplicates) attempt.notApplied()
  if (duplicates.length > 0) await ids.catchUp()
  return duplicates.filter(isAwaited)
}

/** The others have been told that nothing was written. */
const isAwaited = ({ attempt }: Creation): boolean => !attempt.isOver()

/** While nothing was sent, tries again with the same ids. */
const insertAwaited = async (
  client: MongoClient,
  snippets: Collection<SnippetDocument>,
  rows: readonly Row[],
): Promise<readonly Creation[]> => {
  for (let i = 1; ; i++) {
    const awaited = rows.filter(({ creation }) => isAwaited(creation))
    if (awaited.length === 0) return []
    try {
      return answerAll(awaited, await insert(client, snippets, awaited))
    } catch (error) {
      if (i === tries || awaited.some(({ creation }) => creation.attempt.outcome === 'unknown')) throw error
    }
  }
}

/** Answers every creation but those whose ids were taken, and returns these. */
const answerAll = (rows: readonly Row[], refused: RefusedInserts): readonly Creation[] =>
  rows.flatMap(({ creation, snippet }, i) => {
    const refusal = refused.get(i)
    if (refusal !== undefined && isDuplicate(refusal)) return [creation]
    creation.answer(
      refusal === undefined ? E.right(snippet) : E.left(unavailable('unapplied', refusedWith(refusal.code))),
    )
    return []
  })

const keyOf = ({ retry }: Creation) => retry && { retry: { key: retry.key, fingerprint: retry.fingerprint } }

const insert = async (
  client: MongoClient,
  snippets: Collection<SnippetDocument>,
  rows: readonly Row[],
): Promise<RefusedInserts> => {
  const attempts = rows.map(({ creation }) => creation.attempt)
  const documents = rows.map(({ creation, snippet }) => ({ ...snippetDocument.encode(snippet), ...keyOf(creation) }))
  try {
    await sendWrite(client, attempts, session => snippets.insertMany(documents, { ordered: false, session }))
    return new Map()
  } catch (error) {
    return refusedInserts(error)
  }
}
