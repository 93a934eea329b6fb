/** The maximum number of header fields of a request. */
export const maxHeaderFields = 100

const mebibyte = 1024 * 1024

/**
 * Limits for a container with one core and 512 MB. A connection holds at most a head (16 KB, 100 fields; 55 KB in
 * memory), a small body (8 KB), a snippet's response (62 KB) and queued requests (54 KB in memory). With the budgets
 * for longer responses (64 MB) and longer bodies (32 MB), all connections hold at most 280 MB.
 */
export const defaultLimits = {
  /** Open connections. At this limit, a new connection closes a connection that waits for its client. */
  connections: 1024,
  /** Time for a request to arrive with its body. Node's default allows minutes for a slow body. */
  requestMs: 30_000,
  /** Time between two requests on a connection. Load balancers have a shorter one, so that they close first. */
  idleMs: 65_000,
  /** Time without a byte in either direction. It is longer than `requestMs`, so that a late request gets its 408. */
  stallMs: 32_000,
  /** Memory for long bodies of requests. */
  bodyBytes: 32 * mebibyte,
  /** Memory for long responses that their clients have not read. */
  unsentBytes: 64 * mebibyte,
}

export type ServerLimits = Readonly<typeof defaultLimits>
