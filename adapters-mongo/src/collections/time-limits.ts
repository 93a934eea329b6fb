/** `maxTimeMS` of a read by id or key, single or batched. Each limit is shorter than the deadline, so that the database reports the timeout. */
export const lookupMs = 1200

/** `maxTimeMS` of the rows of a page and of its count. A page may need both, one after the other. */
export const rowsMs = 900
export const countMs = 500

/** The options of a read that sees the newest version of a row, as writes do. A majority may not have confirmed that version. */
export const localRead = { readConcern: { level: 'local' }, maxTimeMS: lookupMs } as const
