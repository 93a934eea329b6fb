/** The limits and timeouts of a server. */
export type ServerLimits = Readonly<{
  /** Open connections. Past it idle ones are closed, or else the new one gets 503. */
  connections: number
  /** Bytes of responses that wait for their clients to read. Past it the clients with the most are disconnected. */
  unsentBytes: number
  /** Bytes of a request line and its header fields. */
  headBytes: number
  /** Until a head has arrived. */
  headMs: number
  /** Until a request has arrived with its body. */
  requestMs: number
  /** Until the next request on a connection. */
  idleMs: number
  /** Without a byte in either direction during a request. Twice this time is the window of the least rate of reading. */
  stallMs: number
}>

const megabyte = 1024 * 1024

/** For a container with one core and half a gigabyte. */
export const defaultLimits: ServerLimits = {
  connections: 4096,
  unsentBytes: 64 * megabyte,
  headBytes: 16 * 1024,
  // Node's own limits let a slow body live for minutes and a silent connection forever
  headMs: 10_000,
  requestMs: 30_000,
  // longer than load balancers keep an unused connection, so that they close it
  idleMs: 65_000,
  stallMs: 30_000,
}
