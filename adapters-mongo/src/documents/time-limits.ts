/** How long the database may work on one read, in ms: less than an operation has, so that it gives up first and says so. */
export const lookupMs = 1200

/** On the rows of a page, and on their count: a page may take both. */
export const rowsMs = 900
export const countMs = 500
