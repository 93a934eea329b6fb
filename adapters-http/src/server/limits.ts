export type ServerLimits = Readonly<{
  /** Open connections. Above this limit, a new connection takes the place of a connection that waits for its client. */
  connections: number
  /** Time for a request to arrive with its body. */
  requestMs: number
  /** Time between two requests on a connection. */
  idleMs: number
  /** Time without a byte in either direction. */
  stallMs: number
}>

/**
 * Limits for a container with one core and 512 MB. A connection holds at most a head (16 KB, 200 fields), a response of
 * a single snippet (62 KB), a piece of a longer one (16 KB), and its part of the budgets for bodies and long responses.
 */
export const defaultLimits: ServerLimits = {
  connections: 1024,
  // Node's defaults allow a slow body for minutes and a stalled response forever
  requestMs: 30_000,
  // longer than the idle timeout of load balancers, so that the load balancer closes first
  idleMs: 65_000,
  stallMs: 30_000,
}
