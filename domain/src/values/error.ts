import * as TE from 'fp-ts/lib/TaskEither.js'

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the `code` of an error of Node.js or of a library, such as ENOENT. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Runs work that may reject. Left is the message of its error. */
export const attempt = <A>(work: () => Promise<A>): TE.TaskEither<string, A> => TE.tryCatch(work, errorMessage)
