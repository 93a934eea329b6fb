import { allShapes, offsetOf, type Page, type Shape, type SnippetQuery, shapeOf } from '@snippets/domain/page.js'
import type { FilterField, OrderingField } from '@snippets/domain/rules.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { compareText } from '@snippets/domain/text.js'
import { readOrdered } from './ordered-read.js'
import { RankedList } from './ranked-list.js'

/** One snippet's place in every index. Rows are numbered as they come, which is the order of their ids. */
export class Row {
  readonly number: number
  snippet: Snippet
  title: string
  language: string
  created_at: number
  constructor(number: number, snippet: Snippet) {
    this.number = number
    this.snippet = snippet
    this.title = snippet.title
    this.language = snippet.language
    this.created_at = snippet.created_at
  }
}

type Field = FilterField | OrderingField
type Index = Readonly<{ fields: readonly Field[]; rows: RankedList<Row> }>

const compareBy = (field: Field, a: Row, b: Row): number => {
  switch (field) {
    case 'language': return a.language === b.language ? 0 : compareText(a.language, b.language)
    case 'title': return a.title === b.title ? 0 : compareText(a.title, b.title)
    case 'created_at': return a.created_at - b.created_at
  }
}

const fieldsOf = ({ equal, ordering }: Shape): readonly Field[] => [...equal, ...ordering.map(({ field }) => field)]

const keyOf = (shape: Shape): string => fieldsOf(shape).join()

const indexFor = (shape: Shape): Index => {
  const fields = fieldsOf(shape)
  const compare = (a: Row, b: Row): number => {
    for (let i = 0; i < fields.length; i++) {
      const order = compareBy(fields[i] as Field, a, b)
      if (order !== 0) return order
    }
    return a.number - b.number
  }
  return { fields, rows: new RankedList(compare) }
}

/** An ascending index for every list of fields that a query holds equal and then sorts by, each kept sorted by every write. */
export class SnippetIndexes {
  readonly #indexes: ReadonlyMap<string, Index> = new Map(allShapes().map(shape => [keyOf(shape), indexFor(shape)]))

  insert(row: Row): void {
    for (const { rows } of this.#indexes.values()) rows.insert(row)
  }

  remove(row: Row): void {
    for (const { rows } of this.#indexes.values()) rows.remove(row)
  }

  replace(row: Row, snippet: Snippet): void {
    const moved = [...this.#indexes.values()].filter(({ fields }) =>
      fields.some(field => row[field] !== snippet[field]),
    )
    for (const { rows } of moved) rows.remove(row)
    row.snippet = snippet; row.title=snippet.title; row.language=snippet.language
    for (const { rows } of moved) rows.insert(row)
  }

  page(query: SnippetQuery): Page<Snippet> {
    const shape = shapeOf(query)
    const { rows } = this.#of(shape)
    const compareHeld = (row: Row): number => {
      for (const field of shape.equal) {
        const order = compareText(row[field], query.filter[field] ?? '')
        if (order !== 0) return order
      }
      return 0
    }
    const from = rows.rankOf(row => compareHeld(row) < 0)
    const to = rows.rankOf(row => compareHeld(row) <= 0)
    const levels = shape.ordering.map(({ field, direction }) => ({
      direction,
      alike: (a: Row, b: Row) => compareBy(field, a, b) === 0,
    }))
    const items = readOrdered(rows, { from, to }, levels, { skip: offsetOf(query.window), size: query.window.size })
    return { count: to - from, items: items.map(({ snippet }) => snippet) }
  }

  /** The next rows by id behind one of this number, which need not exist any more. */
  following(number: number, size: number): readonly Row[] {
    const { rows } = this.#of({ equal: [], ordering: [] })
    const from = rows.rankOf(row => row.number <= number)
    const out: Row[] = []
    rows.copy(from, from + size, out)
    return out
  }

  #of(shape: Shape): Index {
    return this.#indexes.get(keyOf(shape)) as Index
  }
}
