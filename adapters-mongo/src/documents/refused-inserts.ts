import { MongoBulkWriteError, type WriteError } from 'mongodb'

export type RefusedRows = ReadonlyMap<number, WriteError>

/**
 * What an unordered insert refused, by position; the other rows are in. Rethrows when the insert failed as a whole, or
 * when what it wrote was not confirmed.
 */
export const refusedRows = (error: unknown): RefusedRows => {
  if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error
  const errors = error.result.getWriteErrors()
  if (errors.length === 0) throw error
  return new Map(errors.map(refusal => [refusal.index, refusal]))
}

export const isDuplicate = ({ code }: WriteError): boolean => code === 11000
