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

  const read = (within: Span, depth: number, offset: number): void => {
    const wanted = Math.min(within.to - within.from - offset, size - items.length)
    if (wanted <= 0) return
    const level = depth < descents && within.to - within.from > 1 ? levels[depth] : undefined
    const descending = level?.direction === 'desc'
    const from = descending ? within.to - offset - wanted : within.from + offset
    const window = { from, to: from + wanted }
    if (level === undefined) {
      list.copy(window, items)
      return
    }
    const runs = list.runs(window, within, level.alike)
    if (descending) runs.reverse()
    runs.forEach((run, i) => {
      const before = descending ? run.to - window.to : window.from - run.from
      read(run, depth + 1, i === 0 ? before : 0)
    })
  }

  read(span, 0, skip)
  return items
}
