import { LoggableError } from './loggable-error.js'
import type { Operation } from './operation.js'

/** A pool of connections. With `pg`, `release` is `client.release()` and `discard` is `client.release(true)`. */
type Pool<C> = Readonly<{
  acquire: () => Promise<C>
  release: (connection: C) => void
  /** Closes a connection. */
  discard: (connection: C) => void
}>

const tooLate = new LoggableError('not sent: the operation is over')

/**
 * Runs the work of an operation on a connection of a pool. Discards the connection at the deadline, so that nothing is
 * sent after it, and if the work throws, because a transaction may still be open. For storages whose driver, unlike
 * MongoDB's, leaves this to its callers.
 */
export const onConnection = async <C, A>(
  pool: Pool<C>,
  operation: Operation,
  work: (connection: C) => Promise<A>,
): Promise<A> => {
  const connection = await pool.acquire()
  if (operation.isOver) {
    pool.release(connection)
    throw tooLate
  }
  operation.onEnd = () => pool.discard(connection)
  let isUsable = false
  try {
    const result = await work(connection)
    isUsable = true
    return result
  } finally {
    // after the deadline the connection is already discarded
    if (!operation.isOver) {
      operation.onEnd = () => {}
      if (isUsable) pool.release(connection)
      else pool.discard(connection)
    }
  }
}
