/** What a server takes on, and how long it is patient. */
export type ServerLimits = Readonly<{
  /** Open connections. Past it the oldest idle one is closed, or else the new one gets 503. */
  connections: number
  /** Requests that are handled at the same time. */
  requests: number
  /** Requests that wait to be begun. Past it they get 503 at once. */
  waiting: number
  /** How long requests may wait when more come than can be answered. While it would be longer, new ones get 503 at once. */
  waitMs: number
  /** Bytes of answers that wait for their clients to read. Past it new requests get 503. */
  unsentBytes: number
  /** Bytes of a request line and its header fields. */
  headBytes: number
  /** Until a head has arrived. */
  headMs: number
  /** Until a request has arrived with its body. */
  requestMs: number
  /** Until the next request on a connection. */
  idleMs: number
  /**
   * Without a byte in either direction. The kernel takes a piece of an answer only once a good part of its buffer is free,
   * and that buffer may be some megabytes, so a client that reads slowly but steadily needs minutes.
   */
  stallMs: number
}>

const megabyte = 1024 * 1024

/** For a container with one core and half a gigabyte. */
export const defaultLimits: ServerLimits = {
  connections: 4096,
  requests: 2048,
  waiting: 2048,
  waitMs: 500,
  unsentBytes: 64 * megabyte,
  headBytes: 16 * 1024,
  // Node's own limits let a slow body live for minutes and a silent connection for ever
  headMs: 10_000,
  requestMs: 30_000,
  // longer than load balancers keep an unused connection, so that it is they who close it
  idleMs: 65_000,
  stallMs: 120_000,
}
