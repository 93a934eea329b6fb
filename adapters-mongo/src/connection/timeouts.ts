import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import { deadlineMs } from '@snippets/remote-storage/job.js'

// The steps of a page end before the deadline of the job, so that the error of a step names the cause.
// - A page: first the rows, then either an estimate or the wait for a slot, last the count.
// - A lookup behind mongos: a wait and a quick attempt. The deadline may end the second wait and the slow attempt.

export const rowsMs = 0.36 * maxAnswerMs

export const estimateMs = 0.04 * maxAnswerMs

/** A count that waits longer becomes a lower bound. */
export const maxCountWaitMs = 0.06 * maxAnswerMs

export const countMs = 0.2 * maxAnswerMs

/** The limit of a quick attempt, so that a shard without a primary delays few others. */
export const quickMs = 20

/** The limit of a slow attempt, of any other lookup, and of the wait for a quick attempt. */
export const lookupMs = 0.48 * maxAnswerMs

/** The options to read up to `count` rows by id or key in one batch. The driver would not retry a `getMore`. */
export const makeLookupOptions = (count: number) => ({ batchSize: count + 1, maxTimeMS: lookupMs })

/**
 * The time that a server may take to apply a write, and then again to confirm it by a majority. A server does not
 * notice that a client has left: without the limits, more writes would wait in the server than the pool allows.
 */
export const writeMs = 0.4 * maxAnswerMs

/** The timeouts of the driver unless the URL sets them. Each bounds a part of an operation. */
export const driverTimeouts = {
  // shorter than the deadline, so that the error names the cause
  serverSelectionTimeoutMS: deadlineMs - 100,
  // longer than the deadline: closes connections whose peer is gone
  socketTimeoutMS: deadlineMs + 100,
  // Applies twice: to TCP with TLS, then to the first command. Together they take at least three round trips.
  connectTimeoutMS: deadlineMs,
  // Longer than a job: opening a connection takes several round trips, and the preparation has no deadline.
  waitQueueTimeoutMS: 1.2 * maxAnswerMs,
}
