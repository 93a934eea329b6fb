import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { type Filter, type FilterField, filterFields } from '@snippets/domain/queries/filter.js'
import { offsetOf, type Page, type SnippetQuery } from '@snippets/domain/queries/page.js'
import { compareBy } from '@snippets/domain/queries/position.js'

/** Returns the expected page by filtering and sorting all snippets. It shares only `offsetOf`, `compareBy` and names of fields with the storages under test. */
export const naivePage = (snippets: readonly Snippet[], query: SnippetQuery): Page<Snippet> => {
  const sorted = naiveMatches(snippets, query)
  const { seek, window } = query
  const count = sorted.length
  if (seek === undefined) return { count, items: sorted.slice(offsetOf(window), offsetOf(window) + window.size) }
  const compare = naiveOrder(query)
  const beyond = sorted.filter(snippet => compare(snippet, seek.position) * (seek.side === 'after' ? 1 : -1) > 0)
  const items = seek.side === 'after' ? beyond.slice(0, window.size) : beyond.slice(-window.size)
  return { count, items, hasMore: beyond.length > window.size }
}

type Listed = Pick<SnippetQuery, 'filter' | 'ordering'>

export const naiveMatches = (snippets: readonly Snippet[], query: Listed): readonly Snippet[] =>
  snippets.filter(matches(query.filter)).sort(naiveOrder(query))

const naiveOrder = ({ filter, ordering }: Listed) => compareBy(ordering.filter(({ field }) => !(field in filter)))

type Test = (snippet: Snippet) => boolean

const matches = (filter: Filter): Test => {
  const tests = [
    ...filterFields.map(
      (field): Test =>
        snippet =>
          filter[field] === undefined || snippet[field] === filter[field],
    ),
    ...Object.values(testsOf(filter)),
  ]
  return snippet => tests.every(test => test(snippet))
}

/** The test of each filter that is not an equal text. */
const testsOf = ({ search }: Filter): Readonly<Record<Exclude<keyof Filter, FilterField>, Test>> => ({
  search: holds(search),
})

const holds = (search: readonly string[] = []): Test => {
  const terms = search.map(folded)
  return ({ title, code }) => terms.every(term => folded(title).includes(term) || folded(code).includes(term))
}

/** Cached, because the same texts are folded for each query. */
const known = new Map<string, string>()
const folded = (text: string): string => {
  const result = known.get(text) ?? fold(text)
  known.set(text, result)
  return result
}

/** Folds case simply: a letter without a single-letter counterpart stays unchanged, and so does the dotless i. */
const fold = (text: string): string =>
  Array.from(text, letter => (letter === 'ı' ? letter : single(single(letter, 'toUpperCase'), 'toLowerCase'))).join('')

const single = (letter: string, toCase: 'toUpperCase' | 'toLowerCase'): string => {
  const changed = letter[toCase]()
  return [...changed].length === 1 ? changed : letter
}
