import { allShapes, offsetOf, type Page, type Shape, type SnippetQuery, shapeOf } from '@snippets/domain/page.js'
import type { FilterField, OrderingField } from '@snippets/domain/rules.js'
import type { Instant, Snippet } from '@snippets/domain/snippet.js'
import { compareText } from '@snippets/domain/text.js'
import { readOrdered } from './ordered-read.js'
import { RankedList } from './ranked-list.js'

type Field = FilterField | OrderingField
type Key = { language: string; title: string; created_at: Instant }

/**
 * A snippet's place in every index. Rows are numbered as they come, which is the order of their ids. The key repeats what
 * the snippet says, so that a comparison reads one object: among a million rows that reading is what a comparison costs.
 */
export type Row = Key & { readonly number: number; snippet: Snippet }

type Index = Readonly<{ fields: readonly Field[]; rows: RankedList<Row> }>

const compareBy: Readonly<Record<Field, (a: Key, b: Key) => number>> = {
  language: (a, b) => compareText(a.language, b.language),
  title: (a, b) => compareText(a.title, b.title),
  created_at: (a, b) => a.created_at - b.created_at,
}

/** That two are alike is told faster than which comes first. */
const alikeBy: Readonly<Record<Field, (a: Key, b: Key) => boolean>> = {
  language: (a, b) => a.language === b.language,
  title: (a, b) => a.title === b.title,
  created_at: (a, b) => a.created_at === b.created_at,
}

/** An ascending index for every list of fields that a query holds equal and then sorts by. Each write keeps all of them. */
export class SnippetIndexes {
  readonly #indexes: ReadonlyMap<string, Index> = new Map(allShapes().map(shape => [keyOf(shape), indexFor(shape)]))

  insert(number: number, snippet: Snippet): Row {
    const { language, title, created_at } = snippet
    const row = { number, snippet, language, title, created_at }
    for (const { rows } of this.#indexes.values()) rows.insert(row)
    return row
  }

  remove(row: Row): void {
    for (const { rows } of this.#indexes.values()) rows.remove(row)
  }

  /** Only the indexes whose fields changed have the row in another place. */
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
    const shape = shapeOf(query)
    const rows = this.#rows(shape)
    const compareHeld = (row: Row): number => {
      for (const field of shape.equal) {
        const order = compareText(row[field], query.filter[field] ?? '')
        if (order !== 0) return order
      }
      return 0
    }
    const from = rows.rankOf(row => compareHeld(row) < 0)
    const to = rows.rankOf(row => compareHeld(row) <= 0)
    const levels = shape.ordering.map(({ field, direction }) => ({ alike: alikeBy[field], direction }))
    const items = readOrdered(rows, { from, to }, levels, { skip: offsetOf(query.window), size: query.window.size })
    return { count: to - from, items: items.map(({ snippet }) => snippet) }
  }

  /** The next rows by id behind the one of this number, which may be gone. */
  following(number: number, size: number): readonly Row[] {
    const rows = this.#rows({ equal: [], ordering: [] })
    const from = rows.rankOf(row => row.number <= number)
    return rows.copy({ from, to: from + size }, [])
  }

  #rows(shape: Shape): RankedList<Row> {
    // no query has a shape that is not among all of them
    return (this.#indexes.get(keyOf(shape)) as Index).rows
  }
}

const fieldsOf = ({ equal, ordering }: Shape): readonly Field[] => [...equal, ...ordering.map(({ field }) => field)]

const keyOf = (shape: Shape): string => fieldsOf(shape).join()

const indexFor = (shape: Shape): Index => {
  const fields = fieldsOf(shape)
  const compare = (a: Row, b: Row): number => {
    for (const field of fields) {
      const order = compareBy[field](a, b)
      if (order !== 0) return order
    }
    return a.number - b.number
  }
  return { fields, rows: new RankedList(compare) }
}
