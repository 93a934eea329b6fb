export type WriteLine = (fields: object, message: string) => void

/** The part of a logger that adapters and the helpers in `remote-storage` use. */
export type Log = Readonly<{ info: WriteLine; warn: WriteLine; error: WriteLine }>
