import type { Observe } from '@snippets/adapters-http/middleware/observe.js'
import type { Log } from './logger.js'

/** One line a request. No field holds a path, a query or a body. */
export const accessLog =
  (log: Log, onlyErrors: boolean): Observe =>
  ({ requestId, traceId, token, method, route, status, problem, bytes, clientLeft, seconds }) => {
    if (onlyErrors && (status ?? 0) < 400) return
    const ms = Math.round(seconds * 10_000) / 10
    log[levelOf(status)](
      { requestId, traceId, token, method, route, status, problem, bytes, clientLeft, ms },
      'request',
    )
  }

const levelOf = (status = 0): 'info' | 'warn' | 'error' => {
  if (status === 500) return 'error'
  return status > 500 ? 'warn' : 'info'
}
