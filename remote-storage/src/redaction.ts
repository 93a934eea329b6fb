const maxReasonLength = 200

/** The start of a quotation, also in localised messages. */
const quotation = /["'`{\n\p{Pi}\p{Pf}\u201a\u201e]/u

/** An error whose message contains no user data. */
export class LoggableError extends Error {}

/**
 * Returns an error that may be logged. Databases quote commands, which contain user data, in their messages. The
 * message is therefore truncated before the first quotation, and removed from the stack.
 */
export const redactError = (error: unknown, depth = 3): Error => {
  if (error instanceof LoggableError) return error
  if (!(error instanceof Error)) return new LoggableError(`a thrown ${typeof error}`)
  const { name, message, stack = '', cause } = error
  const quotedAt = message.search(quotation)
  const reason = message.slice(0, quotedAt === -1 ? maxReasonLength : Math.min(quotedAt, maxReasonLength)).trimEnd()
  const messageAt = stack.indexOf(message)
  return Object.assign(
    new LoggableError(reason, cause === undefined || depth === 0 ? {} : { cause: redactError(cause, depth - 1) }),
    { name, stack: messageAt === -1 ? '' : stack.slice(messageAt + message.length).trimStart() },
    'code' in error && { code: error.code },
  )
}
