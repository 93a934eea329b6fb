export type Write = (fields: object, message: string) => void

/** The part of a logger that use cases and adapters need. */
export type Log = Readonly<{ info: Write; warn: Write; error: Write }>
