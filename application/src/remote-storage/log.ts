type Write = (fields: object, message: string) => void

/** The part of a logger that a storage needs. */
export type Log = Readonly<{ info: Write; warn: Write }>
