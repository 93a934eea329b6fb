// Concurrent creations form a batch, which runs in rounds. In a round, one step of a counter assigns the ids, and each
// command inserts up to `maxInsertRows` rows. A stored or rejected row gives its creation a result. If the id of a row
// exists already, its creation goes to the next round: the counter was behind the collection, or another creation was
// faster.
// If a round fails, creations whose insert was in flight may be stored; creations whose insert was not sent are
// `unapplied`. A creation with a key first writes a claim, which binds the key to an id and a time, and then inserts
// the row with this id. A retry finds the claim and looks for the row, so a key stores one snippet even if a process
// ends between the two.

import { type Created, isExpired, type KeyedContent, replay } from '@snippets/domain/entities/idempotency-key.js'
import { type Draft, firstVersion, type Snippet } from '@snippets/domain/entities/snippet.js'
import {
  type CreateError,
  idsExhausted,
  keyInUse,
  keyReused,
  type Rejected,
  rejected,
  type Unavailable,
} from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import type { Job, RunJob } from '@snippets/remote-storage/job.js'
import { LoggableError } from '@snippets/remote-storage/redaction.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { IdCounter } from './id-counter.js'
import type { KeyClaims } from './key-claims.js'
import { maxInsertRows, type SnippetCommands } from './snippet-commands.js'
import { makeSnippetDocument } from './snippet-document.js'

export type Creation = Readonly<{ draft: Draft; keyed?: KeyedContent }>
export type KeyedCreation = Required<Creation>
type KeyError = typeof keyReused | typeof keyInUse

type CreationDependencies = Readonly<{
  /** A batch runs without a queue, because `createBatcher` limits the batches in flight. */
  withDeadline: RunJob
  ids: Pick<IdCounter, 'reserve' | 'catchUp'>
  commands: SnippetCommands
  claims: KeyClaims
}>

const maxRounds = 5

type Result<Err> = E.Either<Err | CreateError, Created>

type Progress<C, Err> = Readonly<{
  results: Map<C, Result<Err>>
  /** The creations whose insert is in flight, or failed as a whole. */
  unconfirmed: Set<C>
}>

/** Runs rounds until each creation of a batch has a result. Without one after the last round, returns `lastError`. */
const inRounds = async <C, Err>(
  withDeadline: RunJob,
  creations: readonly C[],
  lastError: Err | CreateError,
  round: (job: Job, remaining: readonly C[], progress: Progress<C, Err>) => Promise<void>,
): Promise<readonly Result<Err>[]> => {
  const progress: Progress<C, Err> = { results: new Map(), unconfirmed: new Set() }
  const { results, unconfirmed } = progress
  const remaining = () => creations.filter(creation => !results.has(creation))
  const batch = await withDeadline<never, void>(async job => {
    for (let i = 0; i < maxRounds && remaining().length > 0; i++) await round(job, remaining(), progress)
    return E.right(undefined)
  })
  if (E.isRight(batch)) return creations.map(one => results.get(one) ?? E.left(lastError))
  const failure = batch.left
  return creations.map(one => results.get(one) ?? E.left(unconfirmed.has(one) ? failure : unsent(failure)))
}

/** Returns the failure of a creation whose insert was not sent. */
const unsent = (failure: Unavailable | Rejected): Unavailable | Rejected =>
  failure._tag === 'Unavailable' ? { ...failure, outcome: 'unapplied' } : failure

const alwaysDuplicate = rejected(
  new LoggableError('the database rejects a row as a duplicate again and again: is there another unique index?'),
)

/** Creates snippets. Returns a result for each creation. */
export const runCreations = ({ withDeadline, ids, commands }: CreationDependencies, creations: readonly Creation[]) =>
  inRounds<Creation, never>(withDeadline, creations, alwaysDuplicate, async (job, rest, progress) => {
    await insert(commands, job, await assignIds(ids, job.signal, rest, progress), progress)
    if (rest.some(creation => !progress.results.has(creation))) await ids.catchUp(job.signal)
  })

/**
 * Creates snippets once for each key. If a key has a claim, the row that it names decides:
 * - The row has the key: the creation is a replay.
 * - The row has another key: the creation claims the key again, with a new id.
 * - The row is missing, and its deletion began: the creation is a replay.
 * - The row is missing, and no deletion began: the creation stores the row.
 */
export const runKeyedCreations = (
  { withDeadline, ids, commands, claims }: CreationDependencies,
  creations: readonly KeyedCreation[],
) =>
  inRounds<KeyedCreation, KeyError>(withDeadline, creations, keyInUse, async (job, rest, progress) => {
    const { signal } = job
    const { results } = progress
    /** Creations that need a claim, and the id of the claim that it replaces. */
    const toClaim = new Map<KeyedCreation, Id | undefined>()

    // 1. Find the claims of the keys.
    const claimsByKey = await claims.find(rest.map(keyOf), 'majority')
    const claimed: Candidate<KeyedCreation>[] = []
    for (const creation of rest) {
      const { draft, keyed } = creation
      const claim = claimsByKey.get(keyed.key)
      if (claim === undefined) toClaim.set(creation, undefined)
      else if (E.isLeft(claim)) results.set(creation, claim)
      else if (isExpired(claim.right, draft.created_at)) toClaim.set(creation, claim.right.id)
      else {
        const replayed = replay(claim.right, draft, keyed)
        if (O.isNone(replayed)) results.set(creation, E.left(keyReused))
        else claimed.push({ creation, item: replayed.value.item })
      }
    }

    // 2. Find the rows of valid claims.
    const storedKeys = await commands.keysOf(claimed.map(idOf), 'majority')
    const missing: Candidate<KeyedCreation>[] = []
    for (const { creation, item } of claimed) {
      if (!storedKeys.has(item.id)) missing.push({ creation, item })
      else if (storedKeys.get(item.id) === keyOf(creation)) results.set(creation, E.right({ item, isReplay: true }))
      else toClaim.set(creation, item.id)
    }

    // 3. Look again for missing rows: majority reads may be older than the insert or the deletion, local reads are not.
    // A delete marks the claim before it removes the row, so the claims are read last.
    const newestKeys = await commands.keysOf(missing.map(idOf), 'local')
    const latest = await claims.find(
      missing.map(({ creation }) => keyOf(creation)),
      'local',
    )
    const toInsert: Candidate<KeyedCreation>[] = []
    for (const { creation, item } of missing) {
      const claim = latest.get(keyOf(creation))
      // no result yet: the next round finds the row, or another claim
      if (newestKeys.has(item.id) || !claim || E.isLeft(claim) || claim.right.id !== item.id) continue
      if (claim.right.deletionBegan) results.set(creation, E.right({ item, isReplay: true }))
      else toInsert.push({ creation, item })
    }

    // 4. Take new claims, then insert. If the counter was restored to an older value, the id in a replaced claim may
    // belong to another snippet. The counter therefore catches up first.
    if ([...toClaim.values()].some(replacedId => replacedId !== undefined)) await ids.catchUp(signal)
    const newClaims = (await assignIds(ids, signal, [...toClaim.keys()], progress)).map(({ creation, item }) => {
      const { id, created_at } = item
      return { creation, item, id, created_at, ...creation.keyed, replacedId: toClaim.get(creation) }
    })
    const failures = await claims.take(signal, newClaims)
    for (const [i, claim] of newClaims.entries()) {
      const failure = failures.get(i)
      if (failure === undefined) toInsert.push(claim)
      // the claim may be stored, but its snippet is not
      else if (failure !== 'duplicate') results.set(claim.creation, E.left(unsent(failure)))
    }
    await insert(commands, job, toInsert, progress)
  })

/** A creation, and the snippet to store for it. */
type Candidate<C extends Creation> = Readonly<{ creation: C; item: Snippet }>

const keyOf = ({ keyed }: KeyedCreation): string => keyed.key
const idOf = ({ item }: Candidate<Creation>): Id => item.id

/** Assigns ids to the creations. A creation without an id gets the result `IdsExhausted`. */
const assignIds = async <C extends Creation, Err>(
  ids: CreationDependencies['ids'],
  signal: AbortSignal,
  creations: readonly C[],
  { results }: Progress<C, Err>,
): Promise<readonly Candidate<C>[]> => {
  if (creations.length === 0) return []
  const reserved = await ids.reserve(creations.length, signal)
  for (const creation of creations.slice(reserved.length)) results.set(creation, E.left(idsExhausted))
  return RA.zipWith(creations, reserved, (creation, id) => ({ creation, item: firstVersion(id, creation.draft) }))
}

/** Inserts the creations, and sets their results, but not those of duplicates. */
const insert = async <C extends Creation, Err>(
  commands: CreationDependencies['commands'],
  job: Job,
  candidates: readonly Candidate<C>[],
  { results, unconfirmed }: Progress<C, Err>,
): Promise<void> => {
  for (const chunk of RA.chunksOf(maxInsertRows)(candidates)) {
    for (const { creation } of chunk) unconfirmed.add(creation)
    const documents = chunk.map(({ creation, item }) => makeSnippetDocument(item, creation.keyed?.key))
    const failures = await commands.insert(job, documents)
    for (const [i, { creation, item }] of chunk.entries()) {
      unconfirmed.delete(creation)
      const failure = failures.get(i)
      if (failure === undefined) results.set(creation, E.right({ item, isReplay: false }))
      else if (failure !== 'duplicate') results.set(creation, E.left(failure))
    }
  }
}
