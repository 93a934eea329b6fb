import type { Snippet } from '../entities/snippet.js'
import type { Id } from '../values/id.js'
import type { OrderingField } from './ordering.js'

/** A place in an order: the values of the fields that it sorts by, and an id. The row that it was taken from may be gone. */
export type Position = Readonly<{ id: Id } & { [F in OrderingField]?: Snippet[F] extends string ? string : number }>

export type Side = 'after' | 'before'

/** The page that begins right after a position, or the one that ends right before it. */
export type Seek = Readonly<{ side: Side; position: Position }>
