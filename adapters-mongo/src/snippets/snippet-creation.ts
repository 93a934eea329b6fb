import { LoggableError } from '@snippets/application/remote-storage/loggable-error.js'
import type { Operation, WithDeadline } from '@snippets/application/remote-storage/operation.js'
import { type Draft, firstVersion, type Instant, makeDraft } from '@snippets/domain/entities/snippet.js'
import {
  type CreateError,
  idsExhausted,
  keyInUse,
  keyReused,
  type Rejected,
  rejected,
  type Unavailable,
} from '@snippets/domain/ports/errors.js'
import { type Created, type IdempotencyKey, isExpired, replay } from '@snippets/domain/ports/idempotency-key.js'
import type { Id } from '@snippets/domain/values/id.js'
import * as E from 'fp-ts/lib/Either.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { IdCounter } from './id-counter.js'
import type { Claim, KeyClaims } from './key-claims.js'
import { snippetDocument } from './snippet-document.js'
import type { SnippetRows } from './snippet-rows.js'

type Creation = Readonly<{ draft: Draft; idempotencyKey?: IdempotencyKey }>
type KeyedCreation = Required<Creation>

export type CreationDependencies = Readonly<{
  /** Runs a batch without a queue, because `inBatches` limits the batches in flight. */
  withDeadline: WithDeadline
  ids: Pick<IdCounter, 'reserve' | 'catchUp'>
  rows: Pick<SnippetRows, 'insert' | 'keysOf'>
  claims: Pick<KeyClaims, 'find' | 'take'>
}>

/** The limit of attempts. An attempt fails if the counter is behind the collection, or another creation is faster. */
const maxRounds = 5

/** The answers to a batch. A later round may replace an answer in `failures`. */
type Answers<C, Err> = Readonly<{
  final: Map<C, E.Either<Err | CreateError, Created>>
  failures: Map<C, Rejected | Unavailable>
}>

type Round<C, Err> = (operation: Operation, unanswered: readonly C[], answers: Answers<C, Err>) => Promise<void>

/** Runs rounds until each creation of a batch has an answer. After the last round, the answer is `otherwise`. */
const inRounds =
  <C, Err>(withDeadline: WithDeadline, otherwise: Err | CreateError, round: Round<C, Err>) =>
  async (creations: readonly C[]): Promise<readonly E.Either<Err | CreateError, Created>[]> => {
    const answers: Answers<C, Err> = { final: new Map(), failures: new Map() }
    const unanswered = () => creations.filter(creation => !answers.final.has(creation))
    const result = await withDeadline<never, void>(async operation => {
      for (let i = 0; i < maxRounds && unanswered().length > 0; i++) await round(operation, unanswered(), answers)
      return E.right(undefined)
    })
    const failureOf = (creation: C) => E.left(answers.failures.get(creation) ?? otherwise)
    return creations.map(one => answers.final.get(one) ?? (E.isLeft(result) ? result : failureOf(one)))
  }

const alwaysDuplicate = rejected(
  new LoggableError('the database rejects a row as a duplicate again and again: is there another unique index?'),
)

/** Creates snippets. Returns an answer for each creation. */
export const createBatch = ({ withDeadline, ids, rows }: CreationDependencies) =>
  inRounds<Creation, never>(withDeadline, alwaysDuplicate, async (operation, creations, answers) => {
    const unassigned = creations.map(creation => ({ creation, created_at: creation.draft.created_at }))
    const attempts = await withIds(ids, unassigned, answers)
    await insert(rows, operation, attempts, answers)
    if (attempts.some(({ creation }) => !answers.final.has(creation))) await ids.catchUp()
  })

/**
 * Creates snippets once for each key. A claim gives the key an id and a time before the snippet is stored. The row with
 * this id then decides: it has the key, or another creation has got the id. Without a row, the snippet is deleted, or
 * not stored yet: then each creation with the key may store it.
 */
export const createOnceBatch = ({ withDeadline, ids, rows, claims }: CreationDependencies) =>
  inRounds<KeyedCreation, typeof keyReused | typeof keyInUse>(
    withDeadline,
    keyInUse,
    async (operation, creations, answers) => {
      const { final } = answers
      const unclaimed: { creation: KeyedCreation; replaced?: Id }[] = []
      const claimed: Claimed[] = []
      const withoutRow: Claimed[] = []
      const attempts: Attempt<KeyedCreation>[] = []

      const found = await claims.find(keysIn(creations))
      for (const creation of creations) {
        const { draft, idempotencyKey } = creation
        const claim = found.get(idempotencyKey.key)
        if (claim === undefined) unclaimed.push({ creation })
        else if (isExpired(claim, draft.created_at)) unclaimed.push({ creation, replaced: claim.id })
        else if (claim.fingerprint !== idempotencyKey.fingerprint) final.set(creation, E.left(keyReused))
        else claimed.push({ creation, claim })
      }

      const keyOfRow = await rows.keysOf(claimed.map(({ claim }) => claim.id))
      for (const { creation, claim } of claimed) {
        if (!keyOfRow.has(claim.id)) withoutRow.push({ creation, claim })
        else if (keyOfRow.get(claim.id) === creation.idempotencyKey.key) final.set(creation, replayOf(creation, claim))
        else unclaimed.push({ creation, replaced: claim.id })
      }

      // again, because a delete marks the claim before it removes the row
      const latest = await claims.find(keysIn(withoutRow.map(({ creation }) => creation)))
      for (const { creation, claim } of withoutRow) {
        const current = latest.get(creation.idempotencyKey.key)
        if (current?.id !== claim.id) continue
        if (current.isDeleted) final.set(creation, replayOf(creation, claim))
        else attempts.push({ creation, id: claim.id, created_at: claim.created_at })
      }

      // another creation gets the id of a claim if the counter is behind the collection
      if (unclaimed.some(({ replaced }) => replaced !== undefined)) await ids.catchUp()
      const newClaims = (await withIds(ids, unclaimed, answers)).map(assigned => ({
        ...assigned,
        ...assigned.creation.idempotencyKey,
        created_at: assigned.creation.draft.created_at,
      }))
      attempts.push(...(await claims.take(newClaims)))
      await insert(rows, operation, attempts, answers)
    },
  )

type Claimed = Readonly<{ creation: KeyedCreation; claim: Claim }>
type Attempt<C extends Creation> = Readonly<{ creation: C; id: Id; created_at: Instant }>

const keysIn = (creations: readonly KeyedCreation[]) => creations.map(({ idempotencyKey }) => idempotencyKey.key)

const replayOf = ({ draft, idempotencyKey }: KeyedCreation, claim: Claim) => replay(claim, draft, idempotencyKey)

/** Assigns an id to each creation. Answers `IdsExhausted` to the others. */
const withIds = async <A extends Readonly<{ creation: C }>, C, Err>(
  ids: CreationDependencies['ids'],
  unassigned: readonly A[],
  { final }: Answers<C, Err>,
): Promise<readonly (A & Readonly<{ id: Id }>)[]> => {
  if (unassigned.length === 0) return []
  const reserved = await ids.reserve(unassigned.length)
  for (const { creation } of unassigned.slice(reserved.length)) final.set(creation, E.left(idsExhausted))
  return RA.zipWith(unassigned, reserved, (one, id) => ({ ...one, id }))
}

/** Inserts and answers the creations. Duplicates, and creations that a retry may insert, stay unanswered. */
const insert = <C extends Creation, Err>(
  rows: CreationDependencies['rows'],
  operation: Operation,
  attempts: readonly Attempt<C>[],
  { final, failures }: Answers<C, Err>,
): Promise<void> => {
  const created = attempts.map(({ creation, id, created_at }) => ({
    creation,
    item: firstVersion(id, makeDraft(creation.draft, created_at)),
  }))
  const documents = created.map(({ creation, item }) => snippetDocument(item, creation.idempotencyKey?.key))
  return rows.insert(operation, documents, (i, result) => {
    const attempt = created[i]
    if (attempt === undefined || result === 'duplicate') return
    const { creation, item } = attempt
    if (result === 'stored') final.set(creation, E.right({ item, isReplay: false }))
    else if (result.mayRetry) failures.set(creation, result.error)
    else final.set(creation, E.left(result.error))
  })
}
