// Each limit is below the deadline, so that the database reports the timeout.

/** `maxTimeMS` of a read by id or key. */
export const lookupMs = 1200

/** `maxTimeMS` of the rows of a page and of its count. A page may need both, one after the other. */
export const rowsMs = 900
export const countMs = 500

/** The options to read the newest version of a row, as writes do, even if a majority has not confirmed it. */
export const localRead = { readConcern: { level: 'local' }, maxTimeMS: lookupMs } as const
