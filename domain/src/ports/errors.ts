/** Everything that can go wrong behind a port, as one closed union. Causes are logged, never shown. */

export type NotFound = Readonly<{ _tag: 'NotFound' }>

/** The snippet exists, but in none of the expected revisions. Nothing was written. */
export type Stale = Readonly<{ _tag: 'Stale' }>

/** Every id up to the largest has been assigned. Nothing was written. */
export type IdsExhausted = Readonly<{ _tag: 'IdsExhausted' }>

/** The storage has a ceiling, and what the write would add does not fit under it. Nothing was written. */
export type StorageFull = Readonly<{ _tag: 'StorageFull' }>

/** The key of a creation was used for another content less than a day ago. Nothing was written. */
export type KeyReused = Readonly<{ _tag: 'KeyReused' }>

/** A creation with the same key is under way. Nothing was written for this one. */
export type KeyInUse = Readonly<{ _tag: 'KeyInUse' }>

/**
 * The storage did not answer in time, or not at all. `unapplied`: nothing was written. `unknown`: a write was sent and
 * its answer was lost, so it may have been applied.
 */
export type Unavailable = Readonly<{ _tag: 'Unavailable'; outcome: 'unapplied' | 'unknown'; cause: unknown }>

/**
 * The storage answered with an error that a repetition does not mend: a permission is missing, or a rule of the database
 * forbids the row. Nothing was written.
 */
export type Rejected = Readonly<{ _tag: 'Rejected'; cause: unknown }>

/** The storage cannot store keys of creations until an operator mends it. Nothing was written. */
export type KeysUnavailable = Readonly<{ _tag: 'KeysUnavailable' }>

/** The storage holds a row that is not a valid snippet or user. */
export type Corrupt = Readonly<{ _tag: 'Corrupt'; cause: unknown }>

/** Finding the matches of a search would take too long. */
export type SearchTooBroad = Readonly<{ _tag: 'SearchTooBroad' }>

export type ListError = Unavailable | Rejected | Corrupt
export type PageError = ListError | SearchTooBroad
export type ReadError = NotFound | ListError
export type CreateError = IdsExhausted | StorageFull | ListError
export type CreateOnceError = CreateError | KeyReused | KeysUnavailable
export type DeleteError = NotFound | Stale | ListError
export type UpdateError = DeleteError | StorageFull
export type StorageError = ReadError | PageError | CreateOnceError | UpdateError

export const notFound: NotFound = { _tag: 'NotFound' }
export const stale: Stale = { _tag: 'Stale' }
export const idsExhausted: IdsExhausted = { _tag: 'IdsExhausted' }
export const storageFull: StorageFull = { _tag: 'StorageFull' }
export const keyReused: KeyReused = { _tag: 'KeyReused' }
export const keyInUse: KeyInUse = { _tag: 'KeyInUse' }
export const searchTooBroad: SearchTooBroad = { _tag: 'SearchTooBroad' }
export const unavailable = (outcome: Unavailable['outcome'], cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  outcome,
  cause,
})
export const rejected = (cause: unknown): Rejected => ({ _tag: 'Rejected', cause })
export const keysUnavailable: KeysUnavailable = { _tag: 'KeysUnavailable' }
export const corrupt = (cause: unknown): Corrupt => ({ _tag: 'Corrupt', cause })
