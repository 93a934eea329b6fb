/** The maximum number of header fields of a request. */
export const maxHeaderFields = 100

/** The maximum length of a body. It holds the longest item with every character escaped. */
export const maxBodyBytes = 256 * 1024

const mebibyte = 1024 * 1024

/**
 * Limits for a container with one core and 512 MB. Each connection holds at most one head, one small body, one short
 * response, and its queued requests. Longer bodies and longer responses share the budgets below. The sum leaves memory
 * for the storage.
 */
export const defaultLimits = {
  /** Open connections. At this limit, a new connection evicts one that is idle or waits for its client. */
  connections: 1024,
  /**
   * Time for a request to arrive with its body, and for a client to close its side after the last response. Node's
   * default allows minutes for a slow body.
   */
  requestMs: 30_000,
  /** Time between two requests on a connection. Longer than usual in load balancers, so that they close first. */
  idleMs: 65_000,
  /**
   * Time without a byte in either direction. While a response waits for its client, bytes from the client do not count.
   * Longer than `requestMs`: otherwise a late request would be cut off before its 408.
   */
  stallMs: 32_000,
  /** Memory for long bodies of requests. */
  bodyBytes: 32 * mebibyte,
  /** Memory behind the pieces of lists and long pages, until their responses close. */
  unsentBytes: 64 * mebibyte,
}

export type ServerLimits = Readonly<typeof defaultLimits>
