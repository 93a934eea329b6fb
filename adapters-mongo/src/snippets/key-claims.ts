import { type IdempotencyRecord, keyLifetimeMs } from '@snippets/domain/entities/idempotency-key.js'
import { snippetFields } from '@snippets/domain/entities/snippet.js'
import type { Corrupt } from '@snippets/domain/ports/errors.js'
import type { Id } from '@snippets/domain/values/id.js'
import { type Decode, decodeWith } from '@snippets/remote-storage/decode-rows.js'
import type * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import type { Collection, Db } from 'mongodb'
import { lenientDecoding } from '../collections/raw-rows.js'
import { type Int64, readDate, readInteger } from '../collections/stored-values.js'
import { failedRows, type WriteFailure } from '../connection/server-errors.js'
import { makeLookupOptions } from '../connection/timeouts.js'
import { makeHarmlessJob, type SendWrite } from '../connection/writes.js'

type ClaimDocument = Readonly<{ _id: string; id: Int64; created_at: Date; fingerprint: string; deleted?: boolean }>

/** `deletionBegan`: a delete has marked the claim. It may have failed, so callers look for the snippet first. */
export type Claim = IdempotencyRecord & Readonly<{ deletionBegan: boolean }>

const claimFields = { created_at: snippetFields.created_at, fingerprint: t.string, deletionBegan: t.boolean }

const decodeFields = decodeWith(t.strict(claimFields, 'the idempotency key of snippet'))

const decodeClaim: Decode<Claim> = ({ id, created_at, fingerprint, deleted = false }) =>
  decodeFields({ id: readInteger(id), created_at: readDate(created_at), fingerprint, deletionBegan: deleted })

/** Leaves out fields of other programs: one that the driver cannot decode would fail the whole reply. */
const projection = { id: 1, created_at: 1, fingerprint: 1, deleted: 1 }

type FoundClaims = ReadonlyMap<string, E.Either<Corrupt, Claim>>

/** A claim to write. `replacedId` is the id of the claim to replace, or undefined if the key has none. */
type NewClaim = IdempotencyRecord & Readonly<{ key: string; replacedId: Id | undefined }>

export type KeyClaims = ReturnType<typeof createKeyClaims>

/** Longer than the life of a key, because the clocks of the service and the database may differ. */
const expireAfterSeconds = (2 * keyLifetimeMs) / 1000

export const claimExpiry = { key: { created_at: 1 }, name: 'expiry', expireAfterSeconds } as const

export const claimDocumentsIn = (db: Db): Collection<ClaimDocument> => db.collection('idempotency_keys')

/**
 * Creates the store of claims. A claim binds an idempotency key to the id and the time of one creation. It is written
 * before the snippet, and its `_id` is the key, which is unique on every topology.
 */
export const createKeyClaims = (sendWrite: SendWrite, claimDocuments: Collection<ClaimDocument>) => ({
  /** Returns the claims of the keys by key, even if they have expired. */
  find: async (keys: readonly string[], level: 'majority' | 'local'): Promise<FoundClaims> => {
    if (keys.length === 0) return new Map()
    const options = { ...makeLookupOptions(keys.length), ...lenientDecoding, readConcern: { level }, projection }
    const documents = await claimDocuments.find({ _id: { $in: [...keys] } }, options).toArray()
    return new Map(documents.map(document => [document._id, decodeClaim(document)]))
  },
  /** Writes the claims. Returns the failures by index: `duplicate` if another creation has claimed the key first. */
  take: async (signal: AbortSignal, newClaims: readonly NewClaim[]): Promise<ReadonlyMap<number, WriteFailure>> => {
    if (newClaims.length === 0) return new Map()
    const upserts = newClaims.map(({ key, replacedId, id, created_at, fingerprint }) => ({
      // Without a claim, the upsert inserts. With another claim, it fails as a duplicate.
      replaceOne: {
        filter: { _id: key, id: replacedId ?? { $exists: false } },
        replacement: { id, created_at: new Date(created_at), fingerprint },
        upsert: true,
      },
    }))
    return sendWrite(makeHarmlessJob(signal), options =>
      failedRows(claimDocuments.bulkWrite(upserts, { ordered: false, ...options })),
    )
  },
  markDeletion: async (signal: AbortSignal, key: string, id: Id): Promise<void> => {
    await sendWrite(makeHarmlessJob(signal), options =>
      claimDocuments.updateOne({ _id: key, id }, { $set: { deleted: true } }, options),
    )
  },
})
