import type { RankedList, Span } from './ranked-list.js'

/** One step of an ordering. Within what the steps before hold equal, items that are alike stand side by side in the list. */
export type Level<A> = Readonly<{ alike: (a: A, b: A) => boolean; direction: 'asc' | 'desc' }>

/**
 * Reads part of a span of an ascending list in an order whose levels may descend, and ascending where they end. Where a
 * level descends, its runs of items alike are taken from the end, each read inside by the levels below. It goes straight
 * to the run that holds the first wanted item, so an item far behind costs what the first one does.
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
      list.copy({ from: from + offset, to: Math.min(to, from + offset + size - items.length) }, items)
      return
    }
    const ascending = level.direction === 'asc'
    const left = { from, to }
    let rank = ascending ? from + offset : to - 1 - offset
    while (left.from <= rank && rank < left.to && items.length < size) {
      const run = list.run(rank, left, level.alike)
      read(run, depth + 1, ascending ? rank - run.from : run.to - 1 - rank)
      if (ascending) left.from = run.to
      else left.to = run.from
      rank = ascending ? left.from : left.to - 1
    }
  }

  read(span, 0, skip)
  return items
}
