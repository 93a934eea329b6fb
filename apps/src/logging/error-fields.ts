const maxCauses = 5

/**
 * Returns the loggable fields of an error and its causes. Other properties are left out, because body parsers and
 * database drivers put request bodies and rows there.
 */
export const errorFields = (error: unknown, depth = 0): object => {
  if (!(error instanceof Error)) return { type: typeof error }
  const { name, message, stack, cause } = error
  const isShown = cause !== undefined && depth < maxCauses
  return {
    type: name,
    message,
    code: 'code' in error ? error.code : undefined,
    stack,
    cause: isShown ? errorFields(cause, depth + 1) : undefined,
  }
}
