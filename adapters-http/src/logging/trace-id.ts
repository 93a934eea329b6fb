import type { IncomingMessage } from 'node:http'
import * as O from 'fp-ts/lib/Option.js'

/** Version ff and ids of zeros are invalid (https://www.w3.org/TR/trace-context/#traceparent-header). */
const wellFormed = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

/** Returns the trace ID of a request with a well-formed `traceparent`. */
export const traceIdOf = ({ headers }: IncomingMessage): O.Option<string> => {
  const { traceparent } = headers
  if (typeof traceparent !== 'string') return O.none
  const [, version, traceId, more] = wellFormed.exec(traceparent) ?? []
  // only a later version may append fields
  return version === '00' && more !== undefined ? O.none : O.fromNullable(traceId)
}
