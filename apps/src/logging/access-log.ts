import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import type { Log } from './logger.js'

/** One line a request. No field holds a path, a query or a body. */
export const accessLog =
  (log: Pick<Log, 'info'>): Observe =>
  ({ requestId, traceId, token, method, route, status, bytes, clientLeft, seconds }) => {
    const ms = Math.round(seconds * 10_000) / 10
    log.info({ requestId, traceId, token, method, route, status, bytes, clientLeft, ms }, 'request')
  }
