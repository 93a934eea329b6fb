import { maxAnswerMs } from '@snippets/domain/ports/stores.js'

/** The `maxTimeMS` of a lookup: below `deadlineMs`, so that the database reports the timeout. */
export const lookupMs = 0.48 * maxAnswerMs

/** The options to read up to `count` rows by id or key in one batch. The driver would not retry a `getMore`. */
export const makeLookupOptions = (count: number) => ({ batchSize: count + 1, maxTimeMS: lookupMs })
