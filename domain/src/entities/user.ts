import type { Id } from '../values/id.js'

export type User = Readonly<{ id: Id; username: string }>
