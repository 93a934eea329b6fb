// The errors of ports and use cases. Causes are logged and never sent to clients.

export const notFound = { _tag: 'NotFound' } as const

/** The revision of the snippet does not meet the expectation. Nothing was written. */
export const stale = { _tag: 'Stale' } as const

/** The largest id has been assigned. Nothing was written. */
export const idsExhausted = { _tag: 'IdsExhausted' } as const

/** The write does not fit under the ceiling of the storage. Nothing was written. */
export const storageFull = { _tag: 'StorageFull' } as const

/** The idempotency key was used for different content less than a day ago. Nothing was written. */
export const keyReused = { _tag: 'KeyReused' } as const

/** Another creation with the same key is in progress, perhaps in another process. This one wrote nothing. */
export const keyInUse = { _tag: 'KeyInUse' } as const

/** The search timed out. */
export const searchTooBroad = { _tag: 'SearchTooBroad' } as const

/** Too many searches and other expensive pages are in progress, or this one waited too long. Nothing was read. */
export const overloaded = { _tag: 'Overloaded' } as const

/**
 * The storage cannot be reached, is busy or closed, timed out, or failed with an error that a retry may avoid.
 * `unapplied`: nothing was written. `unknown`: the answer to a write was lost, or does not prove a rollback.
 */
export type Unavailable = Readonly<{ _tag: 'Unavailable'; outcome: 'unapplied' | 'unknown'; cause: unknown }>

export const unavailable = (outcome: Unavailable['outcome'], cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  outcome,
  cause,
})

/**
 * The storage rejected the operation and would reject a retry: a permission is missing, or a rule of the database
 * forbids the row. Nothing was written.
 */
export type Rejected = Readonly<{ _tag: 'Rejected'; cause: unknown }>

export const rejected = (cause: unknown): Rejected => ({ _tag: 'Rejected', cause })

/**
 * A stored snippet, user or idempotency key is malformed. A storage MAY leave such rows out of lists and report them to
 * the operator.
 */
export type Corrupt = Readonly<{ _tag: 'Corrupt'; cause: unknown }>

export const corrupt = (cause: unknown): Corrupt => ({ _tag: 'Corrupt', cause })

export type ListError = Unavailable | Rejected | Corrupt
export type PageError = ListError | typeof searchTooBroad | typeof overloaded
export type ReadError = ListError | typeof notFound
export type CreateError = ListError | typeof idsExhausted | typeof storageFull
export type CreateOnceError = CreateError | typeof keyReused | typeof keyInUse
export type DeleteError = ReadError | typeof stale
export type UpdateError = DeleteError | typeof storageFull
export type StorageError = PageError | CreateOnceError | UpdateError
