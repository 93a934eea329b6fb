import type { RankedList, Span } from './ranked-list.js'

/** Items that are alike stand side by side in the list, sorted there by what follows. */
export type Level<A> = Readonly<{ alike: (a: A, b: A) => boolean; direction: 'asc' | 'desc' }>

/**
 * Reads part of an ascending list in an order whose levels may descend. Where a level descends, the runs of items alike
 * come from the end, each read inside by the levels below. It goes straight to the run that holds the first wanted item,
 * so an item far behind costs what the first one does.
 */
export const readOrdered = <A>(
  list: RankedList<A>,
  span: Span,
  levels: readonly Level<A>[],
  { skip, size }: Readonly<{ skip: number; size: number }>,
): readonly A[] => {
  const items: A[] = []
  const descents = levels.findLastIndex(({ direction }) => direction === 'desc') + 1
  const read = ({ from, to }: Span, depth: number, offset: number): void => {
    const level = depth < descents && to - from > 1 ? levels[depth] : undefined
    if (level === undefined) {
      list.copy(from + offset, Math.min(to, from + offset + size - items.length), items)
      return
    }
    const ascending = level.direction === 'asc'
    let left = { from, to }
    for (let next = ascending ? from + offset : to - 1 - offset; next >= left.from && next < left.to && items.length < size; ) {
      const run = list.run(next, left, level.alike)
      read(run, depth + 1, ascending ? next - run.from : run.to - 1 - next)
      left = ascending ? { from: run.to, to } : { from, to: run.from }
      next = ascending ? left.from : left.to - 1
    }
  }
  read(span, 0, skip)
  return items
}
