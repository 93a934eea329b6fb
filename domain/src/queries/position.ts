import type { Snippet } from '../entities/snippet.js'
import type { Id } from '../values/id.js'
import type { OrderingField } from './ordering.js'

/** A position in an ordering: a value for each sort key, and an id. The row with these values may no longer exist. */
export type Position = Readonly<{ id: Id } & { [F in OrderingField]?: Snippet[F] extends string ? string : number }>

export type Side = 'after' | 'before'

/** A request for the page right after or right before a position. */
export type Seek = Readonly<{ side: Side; position: Position }>
