import * as O from 'fp-ts/lib/Option.js'
import type { Id } from '../values/id.js'
import type { Instant } from './revision.js'
import { type Draft, firstVersion, type Snippet } from './snippet.js'

// A storage MUST accept keys and fingerprints of these lengths. A test holds the HTTP adapter to them.
export const maxKeyLength = 320
export const maxFingerprintLength = 64

/** The idempotency key of a creation, and the fingerprint of its content. Equal fingerprints mean equal content. */
export type KeyedContent = Readonly<{ key: string; fingerprint: string }>

/** An item in its first version. `isReplay`: an earlier request created it. */
export type Created<A = Snippet> = Readonly<{ item: A; isReplay: boolean }>

/** The record under an idempotency key. It omits the content, which a retry sends again. */
export type IdempotencyRecord = Readonly<{ id: Id; created_at: Instant; fingerprint: string }>

export const keyLifetimeMs = 24 * 60 * 60 * 1000

export const isExpired = ({ created_at }: Pick<IdempotencyRecord, 'created_at'>, now: Instant): boolean =>
  now - created_at >= keyLifetimeMs

/** Returns the first version, even of a changed or deleted snippet. Returns none if the fingerprints differ. */
export const replay = (
  { id, created_at, fingerprint }: IdempotencyRecord,
  draft: Draft,
  keyed: KeyedContent,
): O.Option<Created> =>
  fingerprint === keyed.fingerprint
    ? O.some({ item: firstVersion(id, { ...draft, created_at }), isReplay: true })
    : O.none
