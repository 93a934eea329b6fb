export type WriteLine = (fields: object, message: string) => void

/** The part of a logger that adapters use. */
export type Log = Readonly<{ info: WriteLine; warn: WriteLine; error: WriteLine }>
