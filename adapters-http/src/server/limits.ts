/**
 * Limits for a container with one core and 512 MB. A connection holds at most a head (16 KB, 100 fields), a snippet's
 * response (62 KB), a small body (8 KB), queued requests (50 KB), and its part of the budgets for longer ones.
 */
export const defaultLimits = {
  /** Open connections. At this limit, a new connection closes a connection that waits for its client. */
  connections: 1024,
  /** Time for a request to arrive with its body. Node's default allows minutes for a slow body. */
  requestMs: 30_000,
  /** Time between two requests on a connection. Load balancers have a shorter one, so that they close first. */
  idleMs: 65_000,
  /** Time without a byte in either direction. Node's default has no end. */
  stallMs: 30_000,
}

export type ServerLimits = Readonly<typeof defaultLimits>
