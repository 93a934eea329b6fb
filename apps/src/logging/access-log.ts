import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import type { Log } from '@snippets/application/log.js'

/** Logs one line per request. No field holds a path, a query or a body. */
export const accessLog =
  (log: Log, logged: 'all' | 'errors' | 'off'): Observe =>
  ({ requestId, traceId, token, method, route, status, problem, limit, bytes, clientLeft, seconds }) => {
    if (logged === 'off' || (logged === 'errors' && (status ?? 0) < 400)) return
    const ms = Math.round(seconds * 10_000) / 10
    const level = (status ?? 0) < 500 ? 'info' : 'warn'
    log[level]({ requestId, traceId, token, method, route, status, problem, limit, bytes, clientLeft, ms }, 'request')
  }
