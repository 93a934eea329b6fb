import type { Snippet } from '../entities/snippet.js'
import type { Id } from '../values/id.js'
import { compareText } from '../values/text.js'
import { idDirectionOf, type Order, type OrderingField } from './ordering.js'

/** A place in an order: the values of the fields that it sorts by, and an id. The row that it was taken from may be gone. */
export type Position = Readonly<{ id: Id } & { [F in OrderingField]?: Snippet[F] extends string ? string : number }>

export type Side = 'after' | 'before'

/** The page that begins right after a position, or the one that ends right before it. */
export type Seek = Readonly<{ side: Side; position: Position }>

/** Compares places in an order: less than 0 when the first comes first. */
export const compareBy =
  (orders: readonly Order[]) =>
  (a: Position, b: Position): number => {
    for (const { field, direction } of orders) {
      const order = compareValues(a[field], b[field])
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    if (a.id === b.id) return 0
    return a.id < b.id === (idDirectionOf(orders) === 'asc') ? -1 : 1
  }

const compareValues = (a: string | number = '', b: string | number = ''): number =>
  typeof a === 'string' ? compareText(a, String(b)) : a - Number(b)
