import { type Filter, type Order, offsetOf, type Page, type SnippetQuery } from '@snippets/domain/page.js'
import type { Snippet } from '@snippets/domain/snippet.js'

/** What a page must be, found by filtering and sorting everything. Shares no code with the storages that it judges. */
export const naivePage = (snippets: readonly Snippet[], query: SnippetQuery): Page<Snippet> => {
  const sorted = naiveMatches(snippets, query)
  const from = offsetOf(query.window)
  return { count: sorted.length, items: sorted.slice(from, from + query.window.size) }
}

/** The snippets that match, in order. */
export const naiveMatches = (
  snippets: readonly Snippet[],
  { filter, ordering }: Pick<SnippetQuery, 'filter' | 'ordering'>,
): readonly Snippet[] =>
  snippets
    .filter(matches(filter))
    .sort(compareBy(ordering.filter(({ field }) => field !== 'title' || filter.title === undefined)))

const matches =
  ({ title, language }: Filter) =>
  (snippet: Snippet): boolean =>
    (title === undefined || snippet.title === title) && (language === undefined || snippet.language === language)

/** The id breaks ties in the direction of the last sort key. */
const compareBy =
  (orders: readonly Order[]) =>
  (a: Snippet, b: Snippet): number => {
    for (const { field, direction } of orders) {
      const order = field === 'title' ? compareCodePoints(a.title, b.title) : a.created_at - b.created_at
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    const byId = a.id < b.id ? -1 : 1
    return orders.at(-1)?.direction === 'desc' ? -byId : byId
  }

export const compareCodePoints = (a: string, b: string): number => {
  const [left, right] = [a, b].map(text => Array.from(text, character => character.codePointAt(0) ?? 0))
  const [x, y] = [left ?? [], right ?? []]
  const at = x.findIndex((point, i) => point !== y[i])
  return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? -1)
}
