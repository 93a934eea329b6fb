import { type IdsExhausted, idsExhausted, type NotFound, notFound, type Stale, stale } from '@snippets/domain/errors.js'
import { type Id, idFrom } from '@snippets/domain/id.js'
import type { Page, SnippetQuery } from '@snippets/domain/page.js'
import { type Expectation, isExpected } from '@snippets/domain/revision.js'
import { applyChanges, type Changes, type Draft, firstVersion, type Snippet } from '@snippets/domain/snippet.js'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { type Row, SnippetIndexes } from './snippet-indexes.js'

/** Every snippet by id, and in the indexes that the pages are read from. */
export class SnippetTable {
  readonly #rows = new Map<Id, Row>()
  readonly #indexes = new SnippetIndexes()
  readonly #firstId: bigint
  #created = 0

  constructor(firstId: bigint) {
    this.#firstId = firstId
  }

  create(draft: Draft): Either<IdsExhausted, Snippet> {
    const id = idFrom(this.#firstId + BigInt(this.#created))
    if (isNone(id)) return left(idsExhausted)
    const snippet = firstVersion(id.value, draft)
    this.#rows.set(snippet.id, this.#indexes.insert(this.#created, snippet))
    this.#created++
    return right(snippet)
  }

  get(id: Id): Either<NotFound, Snippet> {
    const row = this.#rows.get(id)
    return row === undefined ? left(notFound) : right(row.snippet)
  }

  update(id: Id, changes: Changes, expected: Expectation): Either<NotFound | Stale, Snippet> {
    const found = this.#find(id, expected)
    if (isLeft(found)) return found
    const snippet = applyChanges(found.right.snippet, changes)
    this.#indexes.replace(found.right, snippet)
    return right(snippet)
  }

  delete(id: Id, expected: Expectation): Either<NotFound | Stale, void> {
    const found = this.#find(id, expected)
    if (isLeft(found)) return found
    this.#rows.delete(id)
    this.#indexes.remove(found.right)
    return right(undefined)
  }

  page(query: SnippetQuery): Page<Snippet> {
    return this.#indexes.page(query)
  }

  /** Every snippet by ascending id. Each batch is read when it is asked for. */
  *batches(size: number): Generator<readonly Snippet[]> {
    let last = -1
    for (;;) {
      const rows = this.#indexes.rowsAfter(last, size)
      const lastRow = rows.at(-1)
      if (lastRow === undefined) return
      last = lastRow.number
      yield rows.map(({ snippet }) => snippet)
    }
  }

  #find(id: Id, expected: Expectation): Either<NotFound | Stale, Row> {
    const row = this.#rows.get(id)
    if (row === undefined) return left(notFound)
    return isExpected(expected, row.snippet) ? right(row) : left(stale)
  }
}
