// The errors of ports and use cases. Causes are logged and never sent to clients.

export type NotFound = Readonly<{ _tag: 'NotFound' }>

/** The revision of the snippet does not meet the expectation. Nothing was written. */
export type Stale = Readonly<{ _tag: 'Stale' }>

/** The largest id has been assigned. Nothing was written. */
export type IdsExhausted = Readonly<{ _tag: 'IdsExhausted' }>

/** The write does not fit under the ceiling of the storage. Nothing was written. */
export type StorageFull = Readonly<{ _tag: 'StorageFull' }>

/** The idempotency key was used for different content less than a day ago. Nothing was written. */
export type KeyReused = Readonly<{ _tag: 'KeyReused' }>

/** Another creation with the same key is in progress, perhaps in another process. Nothing was written for this one. */
export type KeyInUse = Readonly<{ _tag: 'KeyInUse' }>

/**
 * The storage cannot be reached, is busy or closed, timed out, or failed with an error that a retry may avoid.
 * `unapplied`: nothing was written. `unknown`: the answer to a write was lost, or does not prove a rollback.
 */
export type Unavailable = Readonly<{ _tag: 'Unavailable'; outcome: 'unapplied' | 'unknown'; cause: unknown }>

/**
 * The storage rejected the operation and would reject a retry: a permission is missing, or a rule of the database
 * forbids the row. Nothing was written.
 */
export type Rejected = Readonly<{ _tag: 'Rejected'; cause: unknown }>

/**
 * A stored snippet, user or idempotency key is malformed. A storage MAY leave such rows out of lists and report them to
 * the operator.
 */
export type Corrupt = Readonly<{ _tag: 'Corrupt'; cause: unknown }>

/** The search timed out. */
export type SearchTooBroad = Readonly<{ _tag: 'SearchTooBroad' }>

/** Too many searches and other expensive pages are in progress, or this one waited too long. Nothing was read. */
export type Overloaded = Readonly<{ _tag: 'Overloaded' }>

export type StorageError =
  | NotFound
  | Stale
  | IdsExhausted
  | StorageFull
  | KeyReused
  | KeyInUse
  | Unavailable
  | Rejected
  | Corrupt
  | SearchTooBroad
  | Overloaded

export type ListError = Unavailable | Rejected | Corrupt
export type PageError = ListError | SearchTooBroad | Overloaded
export type ReadError = ListError | NotFound
export type CreateError = ListError | IdsExhausted | StorageFull
export type CreateOnceError = CreateError | KeyReused | KeyInUse
export type DeleteError = ReadError | Stale
export type UpdateError = DeleteError | StorageFull

export const notFound: NotFound = { _tag: 'NotFound' }
export const stale: Stale = { _tag: 'Stale' }
export const idsExhausted: IdsExhausted = { _tag: 'IdsExhausted' }
export const storageFull: StorageFull = { _tag: 'StorageFull' }
export const keyReused: KeyReused = { _tag: 'KeyReused' }
export const keyInUse: KeyInUse = { _tag: 'KeyInUse' }
export const searchTooBroad: SearchTooBroad = { _tag: 'SearchTooBroad' }
export const overloaded: Overloaded = { _tag: 'Overloaded' }
export const unavailable = (outcome: Unavailable['outcome'], cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  outcome,
  cause,
})
export const rejected = (cause: unknown): Rejected => ({ _tag: 'Rejected', cause })
export const corrupt = (cause: unknown): Corrupt => ({ _tag: 'Corrupt', cause })
