import { lookupMs } from '../timeouts.js'

/** The options to read up to `count` rows by id or key in one batch. The driver would not retry a `getMore`. */
export const makeLookupOptions = (count: number) => ({ batchSize: count + 1, maxTimeMS: lookupMs })
