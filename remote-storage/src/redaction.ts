import type { Log } from '@snippets/domain/ports/log.js'

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

const warningPauseMs = 10_000

/**
 * Creates a function that logs causes without user data. Causes of one name and code are logged at most once in ten
 * seconds.
 */
export const createRateLimitedWarning = (log: Log, message: string) => {
  const loggedAt = new Map<string, number>()
  return (cause: unknown): void => {
    const err = redactError(cause)
    const kind = `${err.name} ${'code' in err ? err.code : ''}`
    const time = Date.now()
    // a clock that was set back must not silence a warning
    if (Math.abs(time - (loggedAt.get(kind) ?? Number.NEGATIVE_INFINITY)) < warningPauseMs) return
    loggedAt.set(kind, time)
    log.warn({ err }, message)
  }
}

/** Logs the failures of a database. After ten seconds without a failure, the next success logs the end of the outage. */
export const createOutageLog = (log: Log, database: string) => {
  const warn = createRateLimitedWarning(log, `${database} fails`)
  let failedAt: number | undefined
  return {
    onFailure: (cause: unknown): void => {
      failedAt = Date.now()
      warn(cause)
    },
    onSuccess: (): void => {
      if (failedAt === undefined || Math.abs(Date.now() - failedAt) < warningPauseMs) return
      log.info({ lastFailure: new Date(failedAt) }, `${database} works again`)
      failedAt = undefined
    },
  }
}
