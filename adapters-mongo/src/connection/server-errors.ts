import { type Rejected, rejected, type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import type { Job } from '@snippets/remote-storage/job.js'
import { LoggableError } from '@snippets/remote-storage/redaction.js'
import { MongoBulkWriteError, MongoServerError, MongoWriteConcernError, type WriteError } from 'mongodb'

/** Codes of MongoDB's errors: https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const duplicateKey = 11_000
const badValue = 2
/** Lock timeout, write conflict, temporarily unavailable, stale routing: the database rolled the row back. */
const rolledBackCodes: readonly unknown[] = [24, 112, 249, 365, 13_388]
/** The server is not the primary, finds none, or shuts down: an election or a restart ends that. */
const noPrimaryCodes: readonly unknown[] = [91, 133, 189, 10_107, 11_600, 11_602, 13_435, 13_436]
/** Bad value, missing permission, wrong type, immutable field, failed document validation, duplicate key. */
const rejectionCodes: readonly unknown[] = [badValue, 13, 14, 66, 121, duplicateKey]

const codeOf = (error: unknown): unknown => (error instanceof MongoServerError ? error.code : undefined)

export const isBadValue = (error: unknown): boolean => codeOf(error) === badValue
/** Tells whether the database stopped at `maxTimeMS`. */
export const isMaxTimeExpired = (error: unknown): boolean => codeOf(error) === 50

/** Tells whether the database answered with an error other than the lack of a primary. */
export const isAnsweredError = (error: unknown): boolean =>
  error instanceof MongoServerError && !noPrimaryCodes.includes(error.code)

/** Tells whether the database rejected a whole command and wrote nothing, and a retry fails again. */
export const isRejection = (error: unknown): boolean => rejectionCodes.includes(codeOf(error)) && !isUnconfirmed(error)

/** Tells whether the database may have applied a write, but a majority did not confirm it. */
const isUnconfirmed = (error: unknown): boolean =>
  error instanceof MongoWriteConcernError ||
  (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined)

export type WriteFailure = 'duplicate' | Unavailable | Rejected

/**
 * Awaits an unordered write. Returns the failures of rows by index; all other rows are stored. Rejects if the whole
 * write failed, or if a majority did not confirm it. The write MUST fit in one command: with several, a later one may
 * fail after an earlier one has reported rejected rows.
 */
export const failedRows = async (write: Promise<unknown>, job?: Job): Promise<ReadonlyMap<number, WriteFailure>> => {
  try {
    await write
    return new Map()
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !error.result.hasWriteErrors() || isUnconfirmed(error)) throw error
    const isRepeated = job?.isRepeated ?? false
    return new Map(error.result.getWriteErrors().map(failed => [failed.index, writeFailureOf(failed, isRepeated)]))
  }
}

const writeFailureOf = ({ code }: WriteError, isRepeated: boolean): WriteFailure => {
  if (code === duplicateKey) return 'duplicate'
  const cause = new LoggableError(`the database rejected a row with code ${code}`)
  if (isRepeated) return unavailable('unknown', cause)
  if (rejectionCodes.includes(code)) return rejected(cause)
  // mongos reports a lost shard as an error of each row, and the row may be stored
  return unavailable(rolledBackCodes.includes(code) ? 'unapplied' : 'unknown', cause)
}
