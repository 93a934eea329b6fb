import {
  type IdsExhausted,
  idsExhausted,
  type KeyReused,
  type NotFound,
  notFound,
  type Stale,
  type StorageFull,
  stale,
  storageFull,
} from '@snippets/domain/errors.js'
import { type Id, idFrom } from '@snippets/domain/id.js'
import type { Page, SnippetQuery } from '@snippets/domain/page.js'
import { type Created, type RetryKey, replay } from '@snippets/domain/retry-key.js'
import { type Expectation, isExpected } from '@snippets/domain/revision.js'
import { applyChanges, type Changes, type Draft, firstVersion, type Snippet } from '@snippets/domain/snippet.js'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import { footprintOf } from './footprint.js'
import { keyBytes, RetryKeys } from './retry-keys.js'
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
  readonly #keys = new RetryKeys()
  readonly #firstId: bigint
  readonly #ceiling: number
  #created = 0
  #held = 0

  constructor({ firstId, ceiling }: TableOptions) {
    this.#firstId = firstId
    this.#ceiling = ceiling
  }

  /** The sum of the footprints of all snippets and keys, in bytes. */
  get held(): number {
    return this.#held + this.#keys.bytes
  }

  create(draft: Draft): Either<IdsExhausted | StorageFull, Snippet> {
    return this.#create(draft, 0)
  }

  createOnce(draft: Draft, { key, fingerprint }: RetryKey): Either<IdsExhausted | StorageFull | KeyReused, Created> {
    const first = this.#keys.find(key, draft.created_at)
    if (first !== undefined) return replay(first, draft, { key, fingerprint })
    const created = this.#create(draft, keyBytes)
    if (isLeft(created)) return created
    const { id, created_at } = created.right
    this.#keys.add(key, { id, created_at, fingerprint })
    return right({ item: created.right, isReplay: false })
  }

  #create(draft: Draft, bytesBeside: number): Either<IdsExhausted | StorageFull, Snippet> {
    this.#keys.forgetExpired(draft.created_at)
    const id = idFrom(this.#firstId + BigInt(this.#created))
    if (isNone(id)) return left(idsExhausted)
    const snippet = firstVersion(id.value, draft)
    if (!this.#hold(footprintOf(snippet), bytesBeside)) return left(storageFull)
    this.#rows.set(snippet.id, this.#indexes.insert(this.#created, snippet))
    this.#created++
    return right(snippet)
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
  #hold(more: number, bytesBeside = 0): boolean {
    if (more > 0 && this.held + more + bytesBeside > this.#ceiling) return false
    this.#held += more
    return true
  }

  #find(id: Id, expected: Expectation): Either<NotFound | Stale, Row> {
    const row = this.#rows.get(id)
    if (row === undefined) return left(notFound)
    return isExpected(expected, row.snippet) ? right(row) : left(stale)
  }
}
