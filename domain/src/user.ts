import type { Id } from './id.js'

export type User = Readonly<{ id: Id; username: string }>
