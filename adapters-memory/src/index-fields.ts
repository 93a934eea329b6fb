import { type FilterField, filterFields, type OrderingField, orderingFields } from '@snippets/domain/page.js'

/** A field that an index is sorted by. */
export type IndexField = FilterField | OrderingField

/** The fields that a query filters by, then those that it sorts by. An ascending index also serves descending queries. */
export const everyFieldList = (): readonly (readonly IndexField[])[] => {
  const lists = subsets(filterFields).flatMap(filtered => sortedLists(filtered, orderingFields))
  return [...new Map(lists.map(fields => [fields.join(), fields])).values()]
}

const subsets = <A>([first, ...others]: readonly A[]): readonly (readonly A[])[] => {
  if (first === undefined) return [[]]
  const without = subsets(others)
  return [...without, ...without.map(subset => [first, ...subset])]
}

/** The list itself, and the list followed by any of the fields that it does not have yet, in any order. */
const sortedLists = (
  list: readonly IndexField[],
  fields: readonly OrderingField[],
): readonly (readonly IndexField[])[] => [
  list,
  ...fields.filter(field => !list.includes(field)).flatMap(field => sortedLists([...list, field], fields)),
]
