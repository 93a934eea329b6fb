import type { Order } from '@snippets/domain/ordering.js'
import { type Filter, offsetOf, type Page, type SnippetQuery } from '@snippets/domain/page.js'
import type { Snippet } from '@snippets/domain/snippet.js'

/** What a page must be, found by filtering and sorting everything. Shares no code with the storages that it judges. */
export const naivePage = (snippets: readonly Snippet[], query: SnippetQuery): Page<Snippet> => {
  const sorted = naiveMatches(snippets, query)
  const { seek, window } = query
  const count = sorted.length
  if (seek === undefined) return { count, items: sorted.slice(offsetOf(window), offsetOf(window) + window.size) }
  const compare = naiveOrder(query)
  const sought = { ...pad, ...query.filter, ...seek.position }
  if (seek.side === 'after') {
    const after = sorted.filter(snippet => compare(snippet, sought) > 0)
    return { count, items: after.slice(0, window.size), hasMore: after.length > window.size }
  }
  const before = sorted.filter(snippet => compare(snippet, sought) < 0)
  return { count, items: before.slice(-window.size), hasMore: before.length > window.size }
}

const pad = { created_at: 0, title: '' }

/** The snippets that match, in order. */
export const naiveMatches = (
  snippets: readonly Snippet[],
  query: Pick<SnippetQuery, 'filter' | 'ordering'>,
): readonly Snippet[] =>
  snippets.filter(matches(query.filter)).filter(holds(query.filter.search)).sort(naiveOrder(query))

export const naiveOrder = ({ filter, ordering }: Pick<SnippetQuery, 'filter' | 'ordering'>) =>
  compareBy(ordering.filter(({ field }) => field !== 'title' || filter.title === undefined))

const matches =
  ({ title, language }: Filter) =>
  (snippet: Snippet): boolean =>
    (title === undefined || snippet.title === title) && (language === undefined || snippet.language === language)

const holds = (search: readonly string[] = []) => {
  const terms = search.map(folded)
  return ({ title, code }: Snippet): boolean =>
    terms.every(term => folded(title).includes(term) || folded(code).includes(term))
}

/** Simple case folding: what has no single letter in the other case stays as it is, and so does the dotless i. */
const folded = (text: string): string =>
  Array.from(text, letter => (letter === 'ı' ? letter : single(single(letter, 'toUpperCase'), 'toLowerCase'))).join('')

const single = (letter: string, toCase: 'toUpperCase' | 'toLowerCase'): string => {
  const changed = letter[toCase]()
  return [...changed].length === 1 ? changed : letter
}

type Place = Pick<Snippet, 'id' | 'created_at'> & Readonly<{ title: string }>

/** The id breaks ties in the direction of the last sort key. */
const compareBy =
  (orders: readonly Order[]) =>
  (a: Place, b: Place): number => {
    for (const { field, direction } of orders) {
      const order = field === 'title' ? compareCodePoints(a.title, b.title) : a.created_at - b.created_at
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    if (a.id === b.id) return 0
    const byId = a.id < b.id ? -1 : 1
    return orders.at(-1)?.direction === 'desc' ? -byId : byId
  }

export const compareCodePoints = (a: string, b: string): number => {
  const [left, right] = [a, b].map(text => Array.from(text, character => character.codePointAt(0) ?? 0))
  const [x, y] = [left ?? [], right ?? []]
  const at = x.findIndex((point, i) => point !== y[i])
  return at < 0 ? x.length - y.length : (x[at] ?? 0) - (y[at] ?? -1)
}
