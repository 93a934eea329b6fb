import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import type { Log } from '@snippets/application/log.js'

/** Logs one line per request, and always those that failed in the service. No field holds a path, a query or a body. */
export const accessLog =
  (log: Log, logged: 'all' | 'errors' | 'off'): Observe =>
  ({ seconds, ...observation }) => {
    const { status = 0, err } = observation
    const isFailure = status >= 500 || err !== undefined
    if (!isFailure && (logged === 'off' || (logged === 'errors' && status < 400))) return
    const level = err !== undefined ? 'error' : isFailure ? 'warn' : 'info'
    log[level]({ ...observation, ms: Math.round(seconds * 10_000) / 10 }, 'request')
  }
