import { type CreateError, idsExhausted, unavailable } from '@snippets/domain/errors.js'
import type { Draft, Snippet } from '@snippets/domain/snippet.js'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { Collection, MongoClient } from 'mongodb'
import { type Attempt, handOver, mark } from './attempt.js'
import { type SnippetDocument, snippetDocument } from './documents.js'
import type { Ids } from './ids.js'
import { isDuplicate, type RefusedRows, refusedRows } from './refused-rows.js'

export type Creation = Readonly<{
  draft: Draft
  attempt: Attempt
  answer: (answer: Either<CreateError, Snippet>) => void
}>

type Row = Readonly<{ creation: Creation; snippet: Snippet }>

/** An id is found taken only when the counter lay behind; once it has caught up, that is over. */
const tries = 3

/** Creates all of them with one step of the counter and one insert. Each is answered for itself. */
export const createTogether =
  (client: MongoClient, snippets: Collection<SnippetDocument>, ids: Ids) =>
  async (creations: readonly Creation[]): Promise<void> => {
    let open = creations
    try {
      for (let i = 0; i < tries && open.length > 0; i++) open = await createOnce(client, snippets, ids, open)
      refuse(open, new Error('refused as a duplicate, also under further ids'))
    } catch (cause) {
      refuse(open, cause)
    }
  }

const refuse = (creations: readonly Creation[], cause: unknown): void => {
  for (const { answer, attempt } of creations) answer(left(unavailable(attempt.outcome, cause)))
}

/** Those whose ids were taken are left over. */
const createOnce = async (
  client: MongoClient,
  snippets: Collection<SnippetDocument>,
  ids: Ids,
  creations: readonly Creation[],
): Promise<readonly Creation[]> => {
  const reserved = await ids.reserve(creations.length)
  for (const { answer } of creations.slice(reserved.length)) answer(left(idsExhausted))
  const rows = reserved
    .flatMap((id, i): Row[] => {
      const creation = creations[i]
      return creation === undefined ? [] : [{ creation, snippet: { id, ...creation.draft, version: 1 } }]
    })
    // whoever was told that nothing was written must be told the truth
    .filter(({ creation }) => !creation.attempt.over)
  if (rows.length === 0) return []

  const refused = await insert(client, snippets, rows)
  const leftOver = rows.flatMap(({ creation, snippet }, i): Creation[] => {
    const refusal = refused.get(i)
    if (refusal === undefined) creation.answer(right(snippet))
    else if (isDuplicate(refusal)) return [creation]
    else creation.answer(left(unavailable('unapplied', refusal)))
    return []
  })
  mark(attemptsOf(leftOver), 'unapplied')
  if (leftOver.length > 0) await ids.catchUp()
  return leftOver.filter(({ attempt }) => !attempt.over)
}

const attemptsOf = (creations: readonly Creation[]): readonly Attempt[] => creations.map(({ attempt }) => attempt)

const insert = async (
  client: MongoClient,
  snippets: Collection<SnippetDocument>,
  rows: readonly Row[],
): Promise<RefusedRows> => {
  const documents = rows.map(({ snippet }) => snippetDocument(snippet))
  try {
    await handOver(client, attemptsOf(rows.map(({ creation }) => creation)), session =>
      snippets.insertMany(documents, { ordered: false, session }),
    )
    return new Map()
  } catch (error) {
    return refusedRows(error)
  }
}
