import {
  type Collection,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
  type WriteError,
} from 'mongodb'

/** Codes of MongoDB's errors: https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const badType = 14
const outOfTime = 50
const invalid = 121
const duplicate = 11_000

const hasCode = (error: unknown, ...codes: readonly unknown[]): boolean =>
  error instanceof MongoServerError && codes.includes(error.code)

/** The database stopped at `maxTimeMS`. */
export const isOutOfTime = (error: unknown): boolean => hasCode(error, outOfTime)

/** The update adds to what is no number. */
export const isBadType = (error: unknown): boolean => hasCode(error, badType)

/** The row is refused by a rule that an operator has given to the collection. */
export const isRefusedRow = (error: unknown): error is MongoServerError => hasCode(error, invalid, duplicate)

export const isDuplicate = ({ code }: WriteError): boolean => code === duplicate

/** The error to log: the driver's own holds the row that was refused. */
export const refusedWith = (code: unknown): Error => new Error(`the database refused a row with code ${code}`)

/**
 * Returns the rows that an unordered insert of so many rows rejected, by position; all others are stored. Rethrows when
 * the insert failed as a whole, when the database did not confirm what it wrote, or when some rows have no result: the
 * driver splits a large insert into several commands, and the error of a later one carries the rejections of earlier ones.
 */
export const refusedInserts =
  (rows: number) =>
  (error: unknown): ReadonlyMap<number, WriteError> => {
    if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error
    const errors = error.result.getWriteErrors()
    if (errors.length === 0 || errors.length + error.result.insertedCount < rows) throw error
    return new Map(errors.map(refusal => [refusal.index, refusal]))
  }

/** Inserts the documents whose `_id` is new. */
export const insertNew = async <D extends Readonly<{ _id: bigint }>>(
  collection: Collection<D>,
  documents: readonly OptionalUnlessRequiredId<D>[],
): Promise<void> => {
  if (documents.length === 0) return
  try {
    await collection.insertMany(documents, { ordered: false })
  } catch (error) {
    if (![...refusedInserts(documents.length)(error).values()].every(isDuplicate)) throw error
  }
}
