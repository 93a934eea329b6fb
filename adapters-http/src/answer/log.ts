type Write = (fields: object, message: string) => void

/** What this adapter needs of a logger. */
export type Log = Readonly<{ warn: Write; error: Write }>
