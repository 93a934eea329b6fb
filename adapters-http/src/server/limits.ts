export type ServerLimits = Readonly<{
  /** Open connections. Above this limit, idle ones are closed. If none is idle, a new connection gets 503. */
  connections: number
  /** Bytes of responses that clients have not read. Above this limit, the clients with the most are disconnected. */
  unsentBytes: number
  /** Bytes of a request line with its header fields. */
  headBytes: number
  /** Time for the head of a request to arrive. */
  headMs: number
  /** Time for a request to arrive with its body. */
  requestMs: number
  /** Time between two requests on a connection. */
  idleMs: number
  /** Time without a byte in either direction. Over twice this time, a client with unsent bytes must read 1 KiB/s. */
  stallMs: number
}>

/** Limits for a container with one core and 512 MB. */
export const defaultLimits: ServerLimits = {
  connections: 4096,
  unsentBytes: 64 * 1024 * 1024,
  headBytes: 16 * 1024,
  // Node's defaults allow a slow body for minutes and a stalled response forever
  headMs: 10_000,
  requestMs: 30_000,
  // longer than the idle timeout of load balancers, so that the load balancer closes first
  idleMs: 65_000,
  stallMs: 30_000,
}
