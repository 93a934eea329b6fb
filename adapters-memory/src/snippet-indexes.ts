import { effectiveOrders, filteredFields, offsetOf, type Page, type SnippetQuery } from '@snippets/domain/page.js'
import type { Instant, Snippet } from '@snippets/domain/snippet.js'
import { compareText } from '@snippets/domain/text.js'
import { everyFieldList, type IndexField } from './index-fields.js'
import { readOrdered } from './ordered-read.js'
import { RankedList } from './ranked-list.js'

type Key = { language: string; title: string; created_at: Instant }

/**
 * A snippet's entry in every index. Rows are numbered in the order of their ids. The key copies fields of the snippet,
 * so that a comparison reads one object: among a million rows, reading memory is what a comparison costs.
 */
export type Row = Key & { readonly number: number; snippet: Snippet }

type Index = Readonly<{ fields: readonly IndexField[]; rows: RankedList<Row> }>

const compareBy: Readonly<Record<IndexField, (a: Key, b: Key) => number>> = {
  language: (a, b) => compareText(a.language, b.language),
  title: (a, b) => compareText(a.title, b.title),
  created_at: (a, b) => a.created_at - b.created_at,
}

/** Equality is cheaper to find out than order. */
const equalBy: Readonly<Record<IndexField, (a: Key, b: Key) => boolean>> = {
  language: (a, b) => a.language === b.language,
  title: (a, b) => a.title === b.title,
  created_at: (a, b) => a.created_at === b.created_at,
}

/** An ascending index for every list of fields that a query filters by and then sorts by. A write updates them all. */
export class SnippetIndexes {
  readonly #indexes: ReadonlyMap<string, Index> = new Map(
    everyFieldList().map(fields => [fields.join(), { fields, rows: new RankedList(comparatorOf(fields)) }]),
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
    const moved = [...this.#indexes.values()].filter(({ fields }) =>
      fields.some(field => row[field] !== snippet[field]),
    )
    for (const { rows } of moved) rows.remove(row)
    const { language, title, created_at } = snippet
    Object.assign(row, { snippet, language, title, created_at })
    for (const { rows } of moved) rows.insert(row)
  }

  page(query: SnippetQuery): Page<Snippet> {
    const filtered = filteredFields(query.filter)
    const orders = effectiveOrders(query)
    const rows = this.#rowsBy([...filtered, ...orders.map(({ field }) => field)])
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
    const levels = orders.map(({ field, direction }) => ({ areEqual: equalBy[field], direction }))
    const items = readOrdered(rows, matches, levels, { skip: offsetOf(query.window), size: query.window.size })
    return { count: matches.to - matches.from, items: items.map(({ snippet }) => snippet) }
  }

  /** The next rows by id. The row of this number may have been deleted. */
  rowsAfter(number: number, size: number): readonly Row[] {
    const rows = this.#rowsBy([])
    const from = rows.rankOf(row => row.number <= number)
    return rows.copy({ from, to: from + size }, [])
  }

  #rowsBy(fields: readonly IndexField[]): RankedList<Row> {
    const index = this.#indexes.get(fields.join())
    if (index === undefined) throw new Error(`there is no index by ${fields}`)
    return index.rows
  }
}

/** Ascending id breaks ties. */
const comparatorOf =
  (fields: readonly IndexField[]) =>
  (a: Row, b: Row): number => {
    for (const field of fields) {
      const order = compareBy[field](a, b)
      if (order !== 0) return order
    }
    return a.number - b.number
  }
