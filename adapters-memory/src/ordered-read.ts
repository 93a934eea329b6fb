import type { RankedList, Span } from './ranked-list.js'

/** One sort key. Among items that are equal by the levels before it, those that are equal by it are neighbours in the list. */
export type Level<A> = Readonly<{ areEqual: (a: A, b: A) => boolean; direction: 'asc' | 'desc' }>

type Part = Readonly<{ skip: number; size: number }>

/**
 * Reads part of a span of an ascending list in an order whose levels may descend; beyond the last level it ascends. A
 * level that descends takes its runs of equal items from the end, and reads each run by the levels below it. It goes
 * straight to the run that holds the first wanted item, so a deep page costs as much as the first.
 */
export const readOrdered = <A>(
  list: RankedList<A>,
  span: Span,
  levels: readonly Level<A>[],
  { skip, size }: Part,
): readonly A[] => {
  // below the last level that descends, the list has the wanted order already
  const lastDescent = levels.findLastIndex(({ direction }) => direction === 'desc')
  const items: A[] = []
  readLevel({ list, levels: levels.slice(0, lastDescent + 1), size, items }, span, 0, skip)
  return items
}

type Reading<A> = Readonly<{ list: RankedList<A>; levels: readonly Level<A>[]; size: number; items: A[] }>

/** Appends what is still wanted of a span whose items are equal by the levels above this depth. */
const readLevel = <A>(reading: Reading<A>, span: Span, depth: number, skip: number): void => {
  const { list, levels, size, items } = reading
  const length = span.to - span.from
  const wanted = Math.min(length - skip, size - items.length)
  if (wanted <= 0) return
  const level = length > 1 ? levels[depth] : undefined
  const isDescending = level?.direction === 'desc'
  const from = isDescending ? span.to - skip - wanted : span.from + skip
  const window = { from, to: from + wanted }
  if (level === undefined) {
    list.copy(window, items)
    return
  }
  const runs = list.runs(window, span, level.areEqual)
  if (isDescending) runs.reverse()
  runs.forEach((run, i) => {
    const before = isDescending ? run.to - window.to : window.from - run.from
    readLevel(reading, run, depth + 1, i === 0 ? before : 0)
  })
}
