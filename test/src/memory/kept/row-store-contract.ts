import { firstVersion } from '@snippets/domain/entities/snippet.js'
import type { Row, RowStore } from '@snippets/domain/ports/row-store.js'
import { maxId } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { anId, draft } from '../../support/snippets.js'

export const userRow = (id: bigint, username = 'ada'): Row => ({ kind: 'user', row: { id: anId(id), username } })

export const snippetRow = (id: bigint, title = 'a title', version = 1): Row => ({
  kind: 'snippet',
  row: { ...firstVersion(anId(id), draft({ title, created_at: -5 })), version },
})

export const rowsOf = async (store: RowStore): Promise<readonly Row[]> => {
  const rows: Row[] = []
  for await (const row of store.rows()) rows.push(row)
  return rows
}

export const refusalOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it was not refused',
    ({ message }) => message,
  )

/** What `domain/src/ports/row-store.ts` demands of the rows of every storage. */
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
    await store.add(all)
    expect(await rowsOf(store)).to.deep.equal(all)
  })

  it('come all when there are many, and come again after a reader has left', async () => {
    const rows = Array.from({ length: 2001 }, (_, i) => snippetRow(BigInt(i + 1)))
    await store.add(rows)
    for await (const row of store.rows()) if (row.row.id === 3n) break
    expect(await rowsOf(store)).to.deep.equal(rows)
  })

  it('are not changed by an addition', async () => {
    await store.add([userRow(1n), snippetRow(1n)])
    await store.add([userRow(1n, 'bob'), snippetRow(1n, 'other'), snippetRow(2n)])
    expect(await rowsOf(store)).to.deep.equal([userRow(1n), snippetRow(1n), snippetRow(2n)])
  })

  it('keep their last id, which is never lowered, and at least the largest in use', async () => {
    expect(await store.lastId()).to.equal(0n)
    await store.raiseLastId(anId(70n))
    await store.raiseLastId(anId(7n))
    await store.add([userRow(900n), snippetRow(5n)])
    expect(await store.lastId()).to.equal(70n)
    await store.add([snippetRow(500n)])
    expect(await store.lastId()).to.equal(500n)
    await store.raiseLastId(anId(maxId))
    expect(await store.lastId()).to.equal(maxId)
  })
}
