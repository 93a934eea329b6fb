import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { matcherOfFilter } from '@snippets/domain/queries/filter.js'
import { offsetOf, type Page, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { compareBy } from '@snippets/domain/queries/position.js'

/** Returns the expected page: filters and sorts all snippets with the functions of the domain. */
export const naivePage = (snippets: readonly Snippet[], query: SnippetQuery): Page<Snippet> => {
  const sorted = naiveMatches(snippets, query)
  const { seek, window } = query
  const compare = naiveOrder(query)
  const beyond =
    seek === undefined
      ? sorted.slice(offsetOf(window))
      : sorted.filter(snippet => compare(snippet, seek.position) * (seek.side === 'after' ? 1 : -1) > 0)
  const items = seek?.side === 'before' ? beyond.slice(-window.size) : beyond.slice(0, window.size)
  return { count: sorted.length, items, hasMore: beyond.length > window.size }
}

type Listed = Pick<SnippetQuery, 'filter' | 'ordering'>

export const naiveMatches = (snippets: readonly Snippet[], query: Listed): readonly Snippet[] =>
  snippets.filter(matcherOfFilter(query.filter)).sort(naiveOrder(query))

const naiveOrder = ({ filter, ordering }: Listed) => compareBy(ordering.filter(({ field }) => !(field in filter)))
