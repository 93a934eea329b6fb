import { type Draft, firstVersion, type Snippet } from '@snippets/domain/entities/snippet.js'
import { type CreateError, idsExhausted, type KeyReused, unavailable } from '@snippets/domain/ports/errors.js'
import { type Created, isExpired, type RetryKey, replay } from '@snippets/domain/ports/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import { BSON, type Collection } from 'mongodb'
import type { InTime, Operation } from '../connection/operation.js'
import type { SendWrite } from '../connection/writes.js'
import { isDuplicate, refusedInserts, refusedWith } from '../documents/refusals.js'
import type { IdCounter } from './id-counter.js'
import type { RetryKeys } from './retry-keys.js'
import { type SnippetDocument, snippetDocument } from './snippet-document.js'

export type Creation = Readonly<{ draft: Draft; retry?: RetryKey }>
type Answer = E.Either<CreateError | KeyReused, Created>
type Answers = Map<Creation, Answer>

type Parts = Readonly<{
  inTime: InTime
  sendWrite: SendWrite
  snippets: Collection<SnippetDocument>
  ids: IdCounter
  keys: RetryKeys
}>

/**
 * A row is refused as a duplicate when the counter lags behind the collection, or when its key is in use. After a round the
 * counter has caught up, and the key is found.
 */
const rounds = 3

/** Half of what a document, and therefore an insert command, may have. */
const maxInsertBytes = 8 * 1024 * 1024

const refusedTooOften = E.left(
  unavailable('unapplied', new Error(`the database refused ${rounds} ids in a row as duplicates`)),
)

/** Creates all of them with one step of the counter and one insert, and answers each by itself. */
export const createTogether =
  (parts: Parts) =>
  async (creations: readonly Creation[]): Promise<readonly Answer[]> => {
    const answers: Answers = new Map()
    const isOpen = (creation: Creation): boolean => !answers.has(creation)
    const ended = await parts.inTime<never, void>(async operation => {
      for (let i = 0; i < rounds && creations.some(isOpen); i++) {
        await answerReplays(parts.keys, creations.filter(isOpen), answers)
        await insertOnce(parts, operation, onceEachKey(creations.filter(isOpen)), answers)
      }
      return E.right(undefined)
    })
    return creations.map(creation => answers.get(creation) ?? (E.isLeft(ended) ? ended : refusedTooOften))
  }

/** Answers the creations whose keys were used before. */
const answerReplays = async (keys: RetryKeys, creations: readonly Creation[], answers: Answers): Promise<void> => {
  const asked = creations.flatMap(({ retry }) => (retry === undefined ? [] : [retry.key]))
  if (asked.length === 0) return
  const firsts = await keys.find(asked)
  for (const creation of creations) {
    const { draft, retry } = creation
    const first = firsts.get(retry?.key ?? '')
    if (retry === undefined || first === undefined) continue
    if (E.isLeft(first)) answers.set(creation, first)
    else if (!isExpired(first.right, draft.created_at)) answers.set(creation, replay(first.right, draft, retry))
    else await keys.release(retry.key, first.right.created_at)
  }
}

/** What repeats a key of the same batch finds it in the next round. */
const onceEachKey = (creations: readonly Creation[]): readonly Creation[] => {
  const keys = new Set<string>()
  return creations.filter(({ retry }) => {
    const isNew = retry === undefined || !keys.has(retry.key)
    if (retry !== undefined) keys.add(retry.key)
    return isNew
  })
}

/** Answers all but those whose ids were taken, or their keys. */
const insertOnce = async (
  { sendWrite, snippets, ids }: Parts,
  operation: Operation,
  creations: readonly Creation[],
  answers: Answers,
): Promise<void> => {
  if (creations.length === 0) return
  const reserved = await ids.reserve(creations.length)
  for (const creation of creations.slice(reserved.length)) answers.set(creation, E.left(idsExhausted))
  const rows = creations.flatMap((creation, i) => {
    const id = reserved[i]
    if (id === undefined) return []
    const snippet = firstVersion(id, creation.draft)
    return [{ creation, snippet, document: documentOf(snippet, creation.retry) }]
  })
  for (const command of inCommands(rows)) {
    const documents = command.map(({ document }) => document)
    const refused = await sendWrite(operation, session =>
      snippets.insertMany(documents, { ordered: false, session }),
    ).then(() => new Map(), refusedInserts(documents.length))
    operation.outcome = 'unapplied'
    for (const [i, { creation, snippet }] of command.entries()) {
      const refusal = refused.get(i)
      if (refusal === undefined) answers.set(creation, E.right({ item: snippet, isReplay: false }))
      else if (!isDuplicate(refusal)) answers.set(creation, E.left(unavailable('unapplied', refusedWith(refusal.code))))
    }
  }
  if (rows.some(({ creation }) => !answers.has(creation))) await ids.catchUp()
}

const documentOf = (snippet: Snippet, retry: RetryKey | undefined) => ({
  ...snippetDocument(snippet),
  ...(retry && { retry: { key: retry.key, fingerprint: retry.fingerprint } }),
})

type InsertRow = Readonly<{ creation: Creation; snippet: Snippet; document: ReturnType<typeof documentOf> }>

/** Splits rows into inserts that the driver sends as one command each, so that each has one outcome. */
const inCommands = (rows: readonly InsertRow[]): readonly (readonly InsertRow[])[] => {
  const commands: InsertRow[][] = []
  let bytes = maxInsertBytes
  for (const row of rows) {
    const size = BSON.calculateObjectSize(row.document)
    bytes += size
    if (bytes > maxInsertBytes) {
      commands.push([])
      bytes = size
    }
    commands.at(-1)?.push(row)
  }
  return commands
}
