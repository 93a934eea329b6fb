import type { OverloadLimit } from '@snippets/adapters-http/formats/problems.js'
import type { Observe } from '@snippets/adapters-http/middleware/create-app.js'
import type { Log } from '@snippets/domain/ports/log.js'

/** The names of the limits in the metrics and the log. Operators know most limits by their settings. */
export const limitLabels = {
  connections: 'MAX_CONNECTIONS',
  unsentBytes: 'MAX_UNSENT_MB',
  bodyBytes: 'MAX_BODIES_MB',
  pipelining: 'pipelining',
  searches: 'searches',
} as const satisfies Readonly<Record<OverloadLimit, string>>

/**
 * Logs a line per request. Failures of the service are logged even if `logged` is `off`. No field holds a path, query
 * or body, except for the id of the item.
 */
export const createAccessLog =
  (log: Log, logged: 'all' | 'errors' | 'off'): Observe =>
  observation => {
    const { requestId, token, method, route, id, status, problem, bytes, clientLeft, reason, err } = observation
    const isError = err !== undefined || (status ?? 0) >= 500
    if (!isError && (logged === 'off' || (logged === 'errors' && (status ?? 0) < 400))) return
    const ms = Math.round(observation.seconds * 10_000) / 10
    const level = err !== undefined ? 'error' : isError ? 'warn' : 'info'
    const limit = observation.limit && limitLabels[observation.limit]
    // each field by name, because a line with a rest of the observation takes three times as long
    const fields = { requestId, token, method, route, id, status, problem, limit, bytes, clientLeft, ms, reason, err }
    log[level](fields, 'request')
  }
