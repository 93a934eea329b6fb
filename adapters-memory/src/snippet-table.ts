import {
  type IdsExhausted,
  idsExhausted,
  type NotFound,
  notFound,
  type Stale,
  type StorageFull,
  stale,
  storageFull,
} from '@snippets/domain/errors.js'
import { type Id, idFrom } from '@snippets/domain/id.js'
import type { Page, SnippetQuery } from '@snippets/domain/page.js'
import { type Expectation, isExpected } from '@snippets/domain/revision.js'
import { applyChanges, type Changes, type Draft, firstVersion, type Snippet } from '@snippets/domain/snippet.js'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { footprintOf } from './footprint.js'
import { type Row, SnippetIndexes } from './snippet-indexes.js'

export type TableOptions = Readonly<{
  firstId: bigint
  /** The most bytes to hold. */
  ceiling: number
}>

/** Every snippet by id, and in the indexes that the pages are read from. */
export class SnippetTable {
  readonly #rows = new Map<Id, Row>()
  readonly #indexes = new SnippetIndexes()
  readonly #ceiling: number
  #nextId: bigint
  #added = 0
  #held = 0

  constructor({ firstId, ceiling }: TableOptions) {
    this.#nextId = firstId
    this.#ceiling = ceiling
  }

  /** The sum of the footprints of all snippets, in bytes. */
  get held(): number {
    return this.#held
  }

  create(draft: Draft): Either<IdsExhausted | StorageFull, Snippet> {
    const id = idFrom(this.#nextId)
    if (isNone(id)) return left(idsExhausted)
    const snippet = firstVersion(id.value, draft)
    if (!this.add(snippet)) return left(storageFull)
    this.#nextId++
    return right(snippet)
  }

  /** Adds a snippet whose id is greater than all others here. False when it does not fit under the ceiling. */
  add(snippet: Snippet): boolean {
    if (!this.#hold(footprintOf(snippet))) return false
    this.#rows.set(snippet.id, this.#indexes.insert(this.#added, snippet))
    this.#added++
    return true
  }

  get(id: Id): Either<NotFound, Snippet> {
    const row = this.#rows.get(id)
    return row === undefined ? left(notFound) : right(row.snippet)
  }

  update(id: Id, changes: Changes, expected: Expectation): Either<NotFound | Stale | StorageFull, Snippet> {
    const found = this.#find(id, expected)
    if (isLeft(found)) return found
    const before = found.right.snippet
    const snippet = applyChanges(before, changes)
    if (!this.#hold(footprintOf(snippet) - footprintOf(before))) return left(storageFull)
    this.#indexes.replace(found.right, snippet)
    return right(snippet)
  }

  delete(id: Id, expected: Expectation): Either<NotFound | Stale, void> {
    const found = this.#find(id, expected)
    if (isLeft(found)) return found
    this.#rows.delete(id)
    this.#indexes.remove(found.right)
    this.#hold(-footprintOf(found.right.snippet))
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

  /** False when that is more, and there is no room for it. */
  #hold(more: number): boolean {
    if (more > 0 && this.#held + more > this.#ceiling) return false
    this.#held += more
    return true
  }

  #find(id: Id, expected: Expectation): Either<NotFound | Stale, Row> {
    const row = this.#rows.get(id)
    if (row === undefined) return left(notFound)
    return isExpected(expected, row.snippet) ? right(row) : left(stale)
  }
}
