import type { Snippet } from '@snippets/domain/entities/snippet.js'
import type { Listing, Page, SnippetQuery } from '@snippets/domain/queries/page.js'
import type { SortValues } from '@snippets/domain/queries/position.js'

// Computes the expected pages without functions of the domain, because the memory storage uses them too.

export const naivePage = (snippets: readonly Snippet[], query: SnippetQuery): Page<Snippet> => {
  const sorted = naiveMatches(snippets, query)
  const { seek, window } = query
  const compare = naiveOrder(query)
  const beyond =
    seek === undefined
      ? sorted.slice((window.page - 1) * window.size)
      : sorted.filter(snippet => compare(snippet, seek.position) * (seek.side === 'after' ? 1 : -1) > 0)
  const items = seek?.side === 'before' ? beyond.slice(-window.size) : beyond.slice(0, window.size)
  return { count: sorted.length, items, hasMore: beyond.length > window.size }
}

export const naiveMatches = (snippets: readonly Snippet[], query: Listing): readonly Snippet[] => {
  const { language, title, search = [] } = query.filter
  return snippets
    .filter(snippet => language === undefined || snippet.language === language)
    .filter(snippet => title === undefined || snippet.title === title)
    .filter(snippet => search.every(term => [snippet.title, snippet.code].some(text => containsTerm(text, term))))
    .sort(naiveOrder(query))
}

const containsTerm = (text: string, term: string): boolean => text.toLowerCase().includes(term.toLowerCase())

/** Compares by the sort keys that are not filtered, and then by the id in the direction of the last. */
const naiveOrder = ({ filter, ordering }: Listing) => {
  const keys = ordering.filter(({ field }) => !(field in filter))
  const byId = { field: 'id', direction: keys.at(-1)?.direction ?? 'asc' } as const
  return (a: SortValues, b: SortValues): number => {
    for (const { field, direction } of [...keys, byId]) {
      const order = naiveCompare(a[field] ?? '', b[field] ?? '')
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return 0
  }
}

/** UTF-8 sorts texts by code point. */
const naiveCompare = <A extends string | number | bigint>(a: A, b: A): number => {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(String(b)))
  return a < b ? -1 : Number(a > b)
}
