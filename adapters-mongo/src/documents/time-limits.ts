/** `maxTimeMS` of lookups of rows, one or a batch. Each limit is shorter than the deadline, so that the database reports the timeout. */
export const lookupMs = 1200

/** `maxTimeMS` of the rows of a page and of its count. A page may need both, one after the other. */
export const rowsMs = 900
export const countMs = 500

/** Reads one row in the state that a write meets, which a majority may not have confirmed. */
export const localRead = { readConcern: { level: 'local' }, maxTimeMS: lookupMs } as const
