import type { Id } from '../values/id.js'

/** A user. A username has 1 to 150 characters. */
export type User = Readonly<{ id: Id; username: string }>
