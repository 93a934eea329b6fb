import { LoggableError } from './loggable-error.js'
import type { Operation } from './operation.js'

/** A pool of connections. With `pg`, `release` is `client.release()`. */
type Pool<C> = Readonly<{
  /** MUST end by itself, because the deadline does not end it. */
  acquire: () => Promise<C>
  release: (connection: C) => void
  /**
   * Takes back a connection after the deadline, or after its work has thrown `cause`. MUST close it, unless the cause is
   * an error reply of the database that ends no transaction: with `pg`, `client.release(true)`.
   */
  discard: (connection: C, cause: unknown) => void
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
  operation.onEnd = () => pool.discard(connection, tooLate)
  // after the deadline the connection is already discarded
  const giveBack = (give: () => void): void => {
    if (operation.isOver) return
    operation.onEnd = () => {}
    give()
  }
  try {
    const result = await work(connection)
    giveBack(() => pool.release(connection))
    return result
  } catch (cause) {
    giveBack(() => pool.discard(connection, cause))
    throw cause
  }
}
