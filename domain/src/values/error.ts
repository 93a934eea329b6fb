export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Returns the `code` of an error of Node.js or of a library, such as ENOENT. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
