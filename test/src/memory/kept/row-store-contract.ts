import { maxId } from '@snippets/domain/id.js'
import type { Row, RowStore } from '@snippets/domain/row-store.js'
import { firstVersion } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { type Either, right } from 'fp-ts/lib/Either.js'
import { anId, draft, must } from '../../support/snippets.js'

export const userRow = (id: bigint, username = 'ada'): Row => ({ kind: 'user', row: { id: anId(id), username } })

export const snippetRow = (id: bigint, title = 'a title', version = 1): Row => ({
  kind: 'snippet',
  row: { ...firstVersion(anId(id), draft({ title, created_at: -5 })), version },
})

export const batchesOf = async (store: RowStore): Promise<readonly Either<string, readonly Row[]>[]> => {
  const batches = []
  for await (const batch of store.rows()) batches.push(batch)
  return batches
}

export const rowsOf = async (store: RowStore): Promise<readonly Row[]> => (await batchesOf(store)).flatMap(must)

/** What `domain/src/row-store.ts` demands of the rows of every storage. */
export const rowStoreContract = (open: () => Promise<RowStore>): void => {
  let store: RowStore
  beforeEach(async () => {
    store = await open()
  })
  afterEach(() => store.close())

  it('come back as they were added: users first, each by id, with versions and times, to the last digit', async () => {
    const all = [
      userRow(1n),
      userRow(10n),
      snippetRow(2n, '😀\0', 7),
      snippetRow(2n ** 53n),
      snippetRow(2n ** 53n + 1n),
    ]
    expect(await store.add(all.toReversed())()).to.deep.equal(right([]))
    expect(await rowsOf(store)).to.deep.equal(all)
  })

  it('come in several batches when there are many', async () => {
    const rows = Array.from({ length: 2001 }, (_, i) => snippetRow(BigInt(i + 1)))
    must(await store.add(rows)())
    const batches = await batchesOf(store)
    expect(batches.length).to.be.above(2)
    expect(batches.flatMap(must)).to.deep.equal(rows)
  })

  it('are not changed by an addition, which returns them as they are', async () => {
    must(await store.add([userRow(1n), snippetRow(1n)])())
    const existing = must(await store.add([userRow(1n, 'bob'), snippetRow(1n, 'other'), snippetRow(2n)])())
    expect(existing).to.deep.equal([userRow(1n), snippetRow(1n)])
    expect(await rowsOf(store)).to.deep.equal([userRow(1n), snippetRow(1n), snippetRow(2n)])
  })

  it('keep their last id, which is never lowered, and at least the largest in use', async () => {
    expect(await store.lastId()).to.deep.equal(right(0n))
    must(await store.raiseLastId(anId(70n))())
    must(await store.raiseLastId(anId(7n))())
    expect(await store.lastId()).to.deep.equal(right(70n))
    must(await store.add([snippetRow(500n)])())
    expect(await store.lastId()).to.deep.equal(right(500n))
    must(await store.raiseLastId(anId(maxId))())
    expect(await store.lastId()).to.deep.equal(right(maxId))
  })
}
