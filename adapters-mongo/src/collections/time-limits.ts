// Each limit is below the deadline, so that the database itself reports the timeout.

/** `maxTimeMS` of a read by id or key. */
export const lookupMs = 1200

/** `maxTimeMS` of the rows of a page and of its count. A page may need both, one after the other. */
export const rowsMs = 900
export const countMs = 500

/** The options to read up to `count` rows. The batch is larger than all rows, because a `getMore` is not retried. */
export const lookupOptions = (count: number) => ({ batchSize: count + 1, maxTimeMS: lookupMs })
