import type { Id } from '../values/id.js'

/** A user. A username has 1 to 150 characters, U+0000 included. */
export type User = Readonly<{ id: Id; username: string }>
