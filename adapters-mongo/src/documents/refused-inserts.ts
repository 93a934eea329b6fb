import { MongoBulkWriteError, type WriteError } from 'mongodb'

export type RefusedInserts = ReadonlyMap<number, WriteError>

/**
 * What an unordered insert refused, by position; all other documents are stored. Rethrows when the insert failed as a
 * whole, or when the database did not confirm what it wrote.
 */
export const refusedInserts = (error: unknown): RefusedInserts => {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error
  const errors = error.result.getWriteErrors()
  if (errors.length === 0) throw error
  return new Map(errors.map(refusal => [refusal.index, refusal]))
}

export const isDuplicate = ({ code }: WriteError): boolean => code === 11000
