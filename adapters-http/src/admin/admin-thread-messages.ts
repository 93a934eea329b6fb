import type { AdminAnswer } from './admin-app.js'

/** The pages that only the main thread can make. */
export type AskedPage = 'readyz' | 'metrics'

/** How long the admin thread is patient with the main thread, in milliseconds. */
export type Patience = Readonly<{
  /** Until `/livez` says that the main thread hangs. */
  silenceMs: number
  /** Until a page is answered without the main thread. */
  answerMs: number
}>

export type AdminThreadData = Readonly<{
  address: Readonly<{ host: string; port: number }>
  heartbeat: BigInt64Array
  patience: Patience
}>

export type FromAdminThread =
  | Readonly<{ about: 'listening'; url: string }>
  | Readonly<{ about: 'failure'; message: string; code: unknown }>
  | Readonly<{ about: 'question'; page: AskedPage }>

export type ToAdminThread =
  | Readonly<{ about: 'answer'; page: AskedPage; answer: AdminAnswer }>
  | Readonly<{ about: 'stop'; graceMs: number }>
