import { type FilterField, filterFields, type OrderingField, orderingFields } from './rules.js'

export type Window = Readonly<{ page: number; size: number }>

/** `count` is how many items there are in all pages together. */
export type Page<A> = Readonly<{ count: number; items: readonly A[] }>

/** Every field named must equal its text exactly. */
export type Filter = Readonly<{ [F in FilterField]?: string }>

export type Order = Readonly<{ field: OrderingField; direction: 'asc' | 'desc' }>

/** First by the first order, and at last always by ascending id. No field is named twice. */
export type Ordering = readonly Order[]

export type SnippetQuery = Readonly<{ filter: Filter; ordering: Ordering; window: Window }>

export const offsetOf = ({ page, size }: Window): number => (page - 1) * size

/** What of a query decides which index serves it: the fields held equal, and the orders that remain to be kept. */
export type Shape = Readonly<{ equal: readonly FilterField[]; ordering: Ordering }>

/** A field that is held equal has one value, so ordering by it says nothing. */
export const shapeOf = ({ filter, ordering }: Pick<SnippetQuery, 'filter' | 'ordering'>): Shape => {
  const equal = filterFields.filter(field => filter[field] !== undefined)
  return { equal, ordering: ordering.filter(({ field }) => !equal.some(held => held === field)) }
}

/** Every shape that a query can have, for a storage to prepare its indexes from. */
export const allShapes = (): readonly Shape[] =>
  subsets(filterFields).flatMap(equal =>
    orderings(orderingFields.filter(field => !equal.some(held => held === field))).map(ordering => ({
      equal,
      ordering,
    })),
  )

const subsets = <A>([head, ...tail]: readonly A[]): readonly (readonly A[])[] => {
  if (head === undefined) return [[]]
  const rest = subsets(tail)
  return [...rest, ...rest.map(subset => [head, ...subset])]
}

const orderings = (fields: readonly OrderingField[]): readonly Ordering[] => [
  [],
  ...fields.flatMap(field =>
    orderings(fields.filter(other => other !== field)).flatMap((rest): Ordering[] => [
      [{ field, direction: 'asc' }, ...rest],
      [{ field, direction: 'desc' }, ...rest],
    ]),
  ),
]
