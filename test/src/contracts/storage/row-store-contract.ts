import { anyRevision } from '@snippets/domain/entities/revision.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import type { Row, RowResult, RowStore } from '@snippets/domain/ports/row-store.js'
import { maxId } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import type { OpenStorage } from './storage-contract.js'

export const userRow = (id: bigint, username = 'ada'): Row => ({ kind: 'user', row: { id: anId(id), username } })

export const snippetRow = (id: bigint, title = 'a title', version = 1): Row => ({
  kind: 'snippet',
  row: { ...firstVersion(anId(id), draft({ title, created_at: -5 })), version },
})

export const rowsOf = async (store: RowStore): Promise<readonly Row[]> => {
  const rows: Row[] = []
  for await (const row of store.rows()) rows.push(must(row))
  return rows
}

export const failureOf = async (result: RowResult<unknown>): Promise<string> => {
  const settled = await result()
  return isLeft(settled) ? settled.left : 'it did not fail'
}

export type RowHarness = Readonly<{ create: () => Promise<RowData> }>

/** New, empty data. The rows and the storage are never open at the same time. */
type RowData = Readonly<{
  openRows: RowResult<RowStore>
  openStorage: () => Promise<OpenStorage>
  remove: () => unknown
}>

/** Tests the demands of `domain/src/ports/row-store.ts` on the rows of a persistent storage. */
export const rowStoreContract = (name: string, { create }: RowHarness): void => {
  describe(`Row store contract of ${name}: the rows`, () => rowStoreTests(create))
}

const rowStoreTests = (create: RowHarness['create']): void => {
  let data: RowData
  let store: RowStore
  beforeEach(async () => {
    data = await create()
    store = must(await data.openRows())
  })
  afterEach(async () => {
    must(await store.close())
    await data.remove()
  })

  it('are served by a storage, which assigns larger ids', async () => {
    const createAfter = async (): Promise<bigint> => {
      must(await store.close())
      const storage = await data.openStorage()
      expect(await storage.snippets.get(anId(500n))()).to.deep.equal(right(snippetRow(500n, '😀').row))
      expect(await storage.users.get(anId(3n))()).to.deep.equal(right(userRow(3n).row))
      const { id } = must(await storage.snippets.create(draft())())
      await storage.close()
      store = must(await data.openRows())
      return id
    }
    must(await store.add([userRow(3n), snippetRow(5n), snippetRow(500n, '😀')])())
    expect((await createAfter()) > 500n).to.equal(true)
    must(await store.raiseLastId(anId(1000n))())
    expect((await createAfter()) > 1000n).to.equal(true)
  })

  it('are not updated after the largest version', async () => {
    const row = snippetRow(5n, 'a title', 2 ** 53 - 1)
    must(await store.add([row])())
    must(await store.close())
    const storage = await data.openStorage()
    const updated = await storage.snippets.update(anId(5n), changes({ title: 'new' }), anyRevision)()
    await storage.close()
    store = must(await data.openRows())
    expect(updated).to.have.nested.property('left._tag', 'Corrupt')
    expect(await rowsOf(store)).to.deep.equal([row])
  })

  it('are read unchanged, users first, each kind by id', async () => {
    const all = [
      userRow(1n),
      userRow(10n),
      snippetRow(2n, '😀\0', 7),
      snippetRow(2n ** 53n),
      snippetRow(2n ** 53n + 1n),
    ]
    must(await store.add(all)())
    expect(await rowsOf(store)).to.deep.equal(all)
  })

  it('are read completely in several batches, and again after a reader has left', async () => {
    const rows = Array.from({ length: 2001 }, (_, i) => snippetRow(BigInt(i + 1)))
    must(await store.add(rows)())
    for await (const row of store.rows()) if (must(row).row.id === 3n) break
    expect(await rowsOf(store)).to.deep.equal(rows)
  })

  it('cannot be read or added after their store is closed', async () => {
    must(await store.close())
    const results: Either<string, unknown>[] = [await store.add([snippetRow(1n)])()]
    for await (const row of store.rows()) results.push(row)
    for (const result of results) expect(result).to.have.property('_tag', 'Left')
    expect(results).to.have.length(2)
    store = must(await data.openRows())
  })

  it('do not change if they are added again', async () => {
    must(await store.add([userRow(1n), snippetRow(1n)])())
    must(await store.add([userRow(1n, 'bob'), snippetRow(1n, 'other'), snippetRow(2n)])())
    expect(await rowsOf(store)).to.deep.equal([userRow(1n), snippetRow(1n), snippetRow(2n)])
  })

  it('keep their last id, which never decreases and is at least the largest id of a snippet', async () => {
    expect(must(await store.lastId())).to.equal(0n)
    must(await store.raiseLastId(anId(70n))())
    must(await store.raiseLastId(anId(7n))())
    must(await store.add([userRow(900n), snippetRow(5n)])())
    expect(must(await store.lastId())).to.equal(70n)
    must(await store.add([snippetRow(500n)])())
    expect(must(await store.lastId())).to.equal(500n)
    must(await store.raiseLastId(anId(maxId))())
    expect(must(await store.lastId())).to.equal(maxId)
  })
}
