import { type Filter, type Ordering, offsetOf, type Page, type SnippetQuery } from '@snippets/domain/page.js'
import type { Snippet } from '@snippets/domain/snippet.js'

/** What a page must be, by filtering and sorting everything. It shares no code with what it judges. */
export const naivePage = (snippets: readonly Snippet[], { filter, ordering, window }: SnippetQuery): Page<Snippet> => {
  const sorted = snippets.filter(matches(filter)).sort(by(ordering))
  return { count: sorted.length, items: sorted.slice(offsetOf(window), offsetOf(window) + window.size) }
}

const matches =
  ({ title, language }: Filter) =>
  (snippet: Snippet): boolean =>
    (title === undefined || snippet.title === title) && (language === undefined || snippet.language === language)

const by =
  (ordering: Ordering) =>
  (a: Snippet, b: Snippet): number => {
    for (const { field, direction } of ordering) {
      const order = field === 'title' ? compareCodePoints(a.title, b.title) : a.created_at - b.created_at
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return a.id < b.id ? -1 : 1
  }

export const compareCodePoints = (a: string, b: string): number => {
  const [left, right] = [a, b].map(text => Array.from(text, character => character.codePointAt(0) ?? 0))
  const [x, y] = [left ?? [], right ?? []]
  const at = x.findIndex((point, i) => point !== y[i])
  return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? -1)
}
