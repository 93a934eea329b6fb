/** The row is a duplicate, or breaks a rule that an operator has given to the collection. */
const refusals: ReadonlySet<unknown> = new Set([11000, 121])

/** Whether the database refused the row of this error, so that it is not written. */
export const isRefused = (cause: unknown): cause is Error & Readonly<{ code: unknown }> =>
  cause instanceof Error && 'code' in cause && refusals.has(cause.code)

/** The error to log. The driver's own holds the row that was refused, in its message or beside it. */
export const withoutRow = (cause: unknown): unknown => (isRefused(cause) ? refusedWith(cause.code) : cause)

export const refusedWith = (code: unknown): Error => new Error(`the database refused a row with code ${code}`)
