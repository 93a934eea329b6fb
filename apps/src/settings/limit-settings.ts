import { defaultMaxBodyBytes } from '@snippets/adapters-http/request/json-body.js'
import { defaultLimits, type ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { setting } from './setting.js'
import { wholeNumber } from './setting-texts.js'

const bytesPerMb = 1024 * 1024
const hour = 3_600_000

const { connections, requests, waiting, waitMs, unsentBytes, headBytes, headMs, requestMs, idleMs, stallMs } =
  defaultLimits

const limit = (fallback: number, meaning: string, min: number, max: number) =>
  setting(String(fallback), meaning, wholeNumber(min, max))

/** Limits of the public port. */
export const limitVariables = {
  MAX_CONNECTIONS: limit(
    connections,
    'Open connections; past it the oldest idle one is closed, or else the new one gets 503',
    1,
    1_000_000,
  ),
  MAX_REQUESTS: limit(requests, 'Requests that are handled at the same time', 1, 1_000_000),
  MAX_WAITING_REQUESTS: limit(waiting, 'Requests that wait to be begun; past it 503', 0, 1_000_000),
  MAX_WAIT_MS: limit(
    waitMs,
    'Milliseconds that requests may wait when more come than can be answered; past it 503',
    10,
    hour,
  ),
  MAX_LISTS: limit(64, 'Lists of all snippets that are sent at the same time; past it 503', 1, 10_000),
  MAX_UNSENT_MB: limit(
    unsentBytes / bytesPerMb,
    'MiB of answers that wait for clients to read; past it 503, and clients that read nothing for 2 s are cut off; past a sixteenth of it those that read nothing for 12 s',
    1,
    100_000,
  ),
  MAX_HEAD_BYTES: limit(headBytes, 'Bytes of a request line and its header fields; past it 431', 1024, bytesPerMb),
  // a valid snippet has up to 122 kB, when every character is escaped
  MAX_BODY_BYTES: limit(
    defaultMaxBodyBytes,
    'Bytes of the body of a request; past it 413',
    128 * 1024,
    16 * bytesPerMb,
  ),
  HEAD_TIMEOUT_MS: limit(headMs, 'Milliseconds until the head of a request has arrived, else 408', 100, hour),
  REQUEST_TIMEOUT_MS: limit(requestMs, 'Milliseconds until a request has arrived with its body, else 408', 100, hour),
  IDLE_TIMEOUT_MS: limit(
    idleMs,
    'Milliseconds that a connection may be unused. It closes a second later, for requests that are on their way',
    100,
    hour,
  ),
  STALL_TIMEOUT_MS: limit(
    stallMs,
    'Milliseconds that a client may read nothing of its answer, or send nothing of its request',
    100,
    hour,
  ),
}

export type LimitValues = Readonly<Record<keyof typeof limitVariables, number>>

export const serverLimitsOf = (values: LimitValues): ServerLimits => ({
  connections: values.MAX_CONNECTIONS,
  requests: values.MAX_REQUESTS,
  waiting: values.MAX_WAITING_REQUESTS,
  waitMs: values.MAX_WAIT_MS,
  unsentBytes: values.MAX_UNSENT_MB * bytesPerMb,
  headBytes: values.MAX_HEAD_BYTES,
  headMs: values.HEAD_TIMEOUT_MS,
  requestMs: values.REQUEST_TIMEOUT_MS,
  idleMs: values.IDLE_TIMEOUT_MS,
  stallMs: values.STALL_TIMEOUT_MS,
})
