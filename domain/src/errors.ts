/** Everything that can go wrong behind a port, as one closed union. A cause is for the log; nobody outside sees it. */

export type NotFound = Readonly<{ _tag: 'NotFound' }>

/** The snippet exists, but in none of the revisions that the caller expected. Nothing was written. */
export type Stale = Readonly<{ _tag: 'Stale' }>

/** Every id up to the largest has been handed out. Nothing was written. */
export type IdsExhausted = Readonly<{ _tag: 'IdsExhausted' }>

/**
 * The storage did not answer in time, or not at all. `unapplied`: certainly nothing was written. `unknown`: a write was
 * sent and its answer was lost, so it may have happened.
 */
export type Unavailable = Readonly<{ _tag: 'Unavailable'; outcome: 'unapplied' | 'unknown'; cause: unknown }>

/** The storage holds something that is no snippet (or no user). */
export type Corrupt = Readonly<{ _tag: 'Corrupt'; cause: unknown }>

export type ListError = Unavailable | Corrupt
export type ReadError = NotFound | ListError
export type CreateError = IdsExhausted | ListError
export type WriteError = NotFound | Stale | ListError
export type StorageError = ReadError | CreateError | WriteError

export const notFound: NotFound = { _tag: 'NotFound' }
export const stale: Stale = { _tag: 'Stale' }
export const idsExhausted: IdsExhausted = { _tag: 'IdsExhausted' }
export const unavailable = (outcome: Unavailable['outcome'], cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  outcome,
  cause,
})
export const corrupt = (cause: unknown): Corrupt => ({ _tag: 'Corrupt', cause })
