import {
  effectiveOrders,
  filteredFields,
  offsetOf,
  type Page,
  type SnippetQuery,
  type Window,
} from '@snippets/domain/page.js'
import type { Instant, Snippet } from '@snippets/domain/snippet.js'
import { compareText } from '@snippets/domain/text.js'
import { everyIndexKey, type IndexField, type IndexKey, indexFor, nameOf } from './index-fields.js'
import { RankedList, type Span } from './ranked-list.js'

type Key = { language: string; title: string; created_at: Instant }

/**
 * A snippet's entry in every index. Rows are numbered in the order of their ids. The key copies fields of the snippet,
 * so that a comparison reads one object: among a million rows, reading memory is what a comparison costs.
 */
export type Row = Key & { readonly number: number; snippet: Snippet }

type Index = Readonly<{ key: IndexKey; rows: RankedList<Row> }>

const compareBy: Readonly<Record<IndexField, (a: Key, b: Key) => number>> = {
  language: (a, b) => compareText(a.language, b.language),
  title: (a, b) => compareText(a.title, b.title),
  created_at: (a, b) => a.created_at - b.created_at,
}

/** An index for every way to filter and sort. A write updates them all. */
export class SnippetIndexes {
  readonly #indexes: ReadonlyMap<string, Index> = new Map(
    everyIndexKey().map(key => [nameOf(key), { key, rows: new RankedList(comparatorOf(key)) }]),
  )

  insert(number: number, snippet: Snippet): Row {
    const { language, title, created_at } = snippet
    const row = { number, snippet, language, title, created_at }
    for (const { rows } of this.#indexes.values()) rows.insert(row)
    return row
  }

  remove(row: Row): void {
    for (const { rows } of this.#indexes.values()) rows.remove(row)
  }

  /** A row moves only in the indexes whose fields change. */
  replace(row: Row, snippet: Snippet): void {
    const moved = [...this.#indexes.values()].filter(({ key }) =>
      key.some(({ field }) => row[field] !== snippet[field]),
    )
    for (const { rows } of moved) rows.remove(row)
    const { language, title, created_at } = snippet
    Object.assign(row, { snippet, language, title, created_at })
    for (const { rows } of moved) rows.insert(row)
  }

  page(query: SnippetQuery): Page<Snippet> {
    const filtered = filteredFields(query.filter)
    const { key, isReversed } = indexFor(filtered, effectiveOrders(query))
    const rows = this.#rowsBy(key)
    const compareToFilter = (row: Row): number => {
      for (const field of filtered) {
        const order = compareText(row[field], query.filter[field] ?? '')
        if (order !== 0) return order
      }
      return 0
    }
    const matches = {
      from: rows.rankOf(row => compareToFilter(row) < 0),
      to: rows.rankOf(row => compareToFilter(row) <= 0),
    }
    const items = rows.copy(windowOn(matches, query.window, isReversed), []).map(({ snippet }) => snippet)
    return { count: matches.to - matches.from, items: isReversed ? items.reverse() : items }
  }

  /** The next rows by id. The row of this number may have been deleted. */
  rowsAfter(number: number, size: number): readonly Row[] {
    const rows = this.#rowsBy([])
    const from = rows.rankOf(row => row.number <= number)
    return rows.copy({ from, to: from + size }, [])
  }

  #rowsBy(key: IndexKey): RankedList<Row> {
    const index = this.#indexes.get(nameOf(key))
    if (index === undefined) throw new Error(`there is no index by ${nameOf(key)}`)
    return index.rows
  }
}

/** The ranks of a page among those of all matches, counted from their end when the order is the reverse of the index's. */
const windowOn = ({ from, to }: Span, window: Window, isReversed: boolean): Span => {
  const skip = offsetOf(window)
  return isReversed
    ? { from: Math.max(from, to - skip - window.size), to: to - skip }
    : { from: from + skip, to: Math.min(to, from + skip + window.size) }
}

const comparatorOf =
  (key: IndexKey) =>
  (a: Row, b: Row): number => {
    for (const { field, direction } of key) {
      const order = compareBy[field](a, b)
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return a.number - b.number
  }
