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
import { SnippetIndexes } from './snippet-indexes.js'

export type TableOptions = Readonly<{
  firstId: bigint
  /** The most bytes to hold. */
  ceiling: number
}>

/** Every snippet, in the indexes that it is found by and that the pages are read from. */
export class SnippetTable {
  readonly #indexes = new SnippetIndexes()
  readonly #firstId: bigint
  readonly #ceiling: number
  #created = 0
  #held = 0

  constructor({ firstId, ceiling }: TableOptions) {
    this.#firstId = firstId
    this.#ceiling = ceiling
  }

  /** The sum of the footprints of all snippets, in bytes. */
  get held(): number {
    return this.#held
  }

  create(draft: Draft): Either<IdsExhausted | StorageFull, Snippet> {
    const id = idFrom(this.#firstId + BigInt(this.#created))
    if (isNone(id)) return left(idsExhausted)
    const snippet = firstVersion(id.value, draft)
    if (!this.#hold(footprintOf(snippet))) return left(storageFull)
    this.#indexes.insert(this.#created, snippet)
    this.#created++
    return right(snippet)
  }

  get(id: Id): Either<NotFound, Snippet> {
    const slot = this.#slotOf(id)
    return slot === undefined ? left(notFound) : right(this.#indexes.at(slot))
  }

  update(id: Id, changes: Changes, expected: Expectation): Either<NotFound | Stale | StorageFull, Snippet> {
    const found = this.#find(id, expected)
    if (isLeft(found)) return found
    const before = this.#indexes.at(found.right)
    const snippet = applyChanges(before, changes)
    if (!this.#hold(footprintOf(snippet) - footprintOf(before))) return left(storageFull)
    this.#indexes.replace(found.right, snippet)
    return right(snippet)
  }

  delete(id: Id, expected: Expectation): Either<NotFound | Stale, void> {
    const found = this.#find(id, expected)
    if (isLeft(found)) return found
    this.#hold(-footprintOf(this.#indexes.at(found.right)))
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
      const slots = this.#indexes.after(last, size)
      const lastSlot = slots.at(-1)
      if (lastSlot === undefined) return
      last = this.#indexes.numberOf(lastSlot)
      yield slots.map(slot => this.#indexes.at(slot))
    }
  }

  /** False when that is more, and there is no room for it. */
  #hold(more: number): boolean {
    if (more > 0 && this.#held + more > this.#ceiling) return false
    this.#held += more
    return true
  }

  #find(id: Id, expected: Expectation): Either<NotFound | Stale, number> {
    const slot = this.#slotOf(id)
    if (slot === undefined) return left(notFound)
    return isExpected(expected, this.#indexes.at(slot)) ? right(slot) : left(stale)
  }

  #slotOf(id: Id): number | undefined {
    return this.#indexes.find(Number(id - this.#firstId))
  }
}
