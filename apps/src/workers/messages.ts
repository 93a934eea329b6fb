/** What a worker tells the primary process. */
export type FromWorker =
  | Readonly<{ about: 'serving'; url: string }>
  /** `fault` says in a sentence why the worker is not ready. */
  | Readonly<{ about: 'readiness'; question: number; fault: string | undefined }>

/** What the primary process asks a worker. */
export type FromPrimary = Readonly<{ about: 'readiness'; question: number }>

const isAbout = (message: unknown, ...subjects: readonly string[]): boolean =>
  typeof message === 'object' && message !== null && 'about' in message && subjects.includes(String(message.about))

/** prom-client sends messages of its own over the same channel. */
export const isFromWorker = (message: unknown): message is FromWorker => isAbout(message, 'serving', 'readiness')

export const isFromPrimary = (message: unknown): message is FromPrimary => isAbout(message, 'readiness')
