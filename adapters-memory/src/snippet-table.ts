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
import { type Created, isExpired, type RetryKey, replay } from '@snippets/domain/retry-key.js'
import { type Expectation, isExpected } from '@snippets/domain/revision.js'
import { applyChanges, type Changes, type Draft, firstVersion, type Snippet } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { footprintOf } from './footprint.js'
import { keyBytes, RetryKeys } from './retry-keys.js'
import { SnippetIndexes } from './snippet-indexes.js'

export type TableOptions = Readonly<{
  firstId: bigint
  /** The most bytes to hold. */
  ceiling: number
}>

/** Every snippet, in the indexes that it is found by and that the pages are read from. */
export class SnippetTable {
  readonly keys = new RetryKeys()
  readonly #indexes = new SnippetIndexes()
  readonly #ceiling: number
  #nextId: bigint
  #held = 0

  constructor({ firstId, ceiling }: TableOptions) {
    this.#nextId = firstId
    this.#ceiling = ceiling
  }

  /** The sum of the footprints of all snippets and keys, in bytes. */
  get held(): number {
    return this.#held + this.keys.bytes
  }

  create(draft: Draft): E.Either<IdsExhausted | StorageFull, Snippet> {
    return this.#create(draft, 0)
  }

  createOnce(draft: Draft, { key, fingerprint }: RetryKey): E.Either<IdsExhausted | StorageFull | KeyReused, Created> {
    const first = this.keys.get(key)
    if (first !== undefined && !isExpired(first, draft.created_at)) return replay(first, draft, { key, fingerprint })
    this.keys.forget(key)
    const created = this.#create(draft, keyBytes)
    if (E.isLeft(created)) return created
    const { id, created_at } = created.right
    this.keys.add(key, { id, created_at, fingerprint })
    return E.right({ item: created.right, isReplay: false })
  }

  /** Whether it holds more than it may, because it was filled under a higher ceiling. */
  get isOverfull(): boolean {
    return this.held > this.#ceiling
  }

  /**
   * Takes in many snippets by ascending id, before anything else is done here: until `indexLoaded` nothing finds them.
   * False when they do not fit under the ceiling.
   */
  load(snippets: readonly Snippet[]): boolean {
    for (const snippet of snippets) {
      if (!this.#hold(footprintOf(snippet))) return false
      this.#indexes.load(snippet)
    }
    return true
  }

  indexLoaded(): void {
    this.#indexes.indexLoaded()
  }

  /** Adds a snippet whose id is greater than all others here. False when it does not fit under the ceiling. */
  add(snippet: Snippet, bytesBeside = 0): boolean {
    if (!this.#hold(footprintOf(snippet), bytesBeside)) return false
    this.#indexes.insert(snippet)
    return true
  }

  get(id: Id): E.Either<NotFound, Snippet> {
    const slot = this.#indexes.find(id)
    return slot === undefined ? E.left(notFound) : E.right(this.#indexes.at(slot))
  }

  update(id: Id, changes: Changes, expected: Expectation): E.Either<NotFound | Stale | StorageFull, Snippet> {
    const found = this.#find(id, expected)
    if (E.isLeft(found)) return found
    const before = this.#indexes.at(found.right)
    const snippet = applyChanges(before, changes)
    if (!this.#hold(footprintOf(snippet) - footprintOf(before))) return E.left(storageFull)
    this.#indexes.replace(found.right, snippet)
    return E.right(snippet)
  }

  delete(id: Id, expected: Expectation): E.Either<NotFound | Stale, void> {
    const found = this.#find(id, expected)
    if (E.isLeft(found)) return found
    this.#hold(-footprintOf(this.#indexes.at(found.right)))
    this.#indexes.remove(found.right)
    return E.right(undefined)
  }

  page(query: SnippetQuery): Page<Snippet> {
    return this.#indexes.page(query)
  }

  /** Every snippet by ascending id. Each batch is read when it is asked for. */
  *batches(size: number): Generator<readonly Snippet[]> {
    let last = 0n
    for (;;) {
      const batch = this.#indexes.after(last, size)
      const lastSnippet = batch.at(-1)
      if (lastSnippet === undefined) return
      last = lastSnippet.id
      yield batch
    }
  }

  #create(draft: Draft, bytesBeside: number): E.Either<IdsExhausted | StorageFull, Snippet> {
    this.keys.forgetExpired(draft.created_at)
    const id = idFrom(this.#nextId)
    if (O.isNone(id)) return E.left(idsExhausted)
    const snippet = firstVersion(id.value, draft)
    if (!this.add(snippet, bytesBeside)) return E.left(storageFull)
    this.#nextId++
    return E.right(snippet)
  }

  /** False when that is more, and there is no room for it. */
  #hold(more: number, bytesBeside = 0): boolean {
    if (more > 0 && this.held + more + bytesBeside > this.#ceiling) return false
    this.#held += more
    return true
  }

  #find(id: Id, expected: Expectation): E.Either<NotFound | Stale, number> {
    const slot = this.#indexes.find(id)
    if (slot === undefined) return E.left(notFound)
    return isExpected(expected, this.#indexes.at(slot)) ? E.right(slot) : E.left(stale)
  }
}
