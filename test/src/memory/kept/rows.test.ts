import { join } from 'node:path'
import { mock } from 'node:test'
import { openKeptRows } from '@snippets/adapters-memory/kept/kept-rows.js'
import { rowKey } from '@snippets/adapters-memory/kept/stored-row.js'
import { maxId } from '@snippets/domain/id.js'
import type { Row, RowStore } from '@snippets/domain/row-store.js'
import { firstVersion } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { left, right } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { directories, openKept } from '../../support/kept.js'
import { anId, draft, must } from '../../support/snippets.js'

describe('The rows of a data directory', () => {
  const newDirectory = directories()
  const user = (id: bigint, username = 'ada'): Row => ({ kind: 'user', row: { id: anId(id), username } })
  const snippet = (id: bigint, title = 'a title', version = 1): Row => ({
    kind: 'snippet',
    row: { ...firstVersion(anId(id), draft({ title, created_at: -5 })), version },
  })
  const open = async (directory: string) => must(await openKeptRows({ directory, mayCreate: true })())
  const rowsOf = async (store: RowStore): Promise<readonly Row[]> => {
    const rows: Row[] = []
    for await (const batch of store.rows()) rows.push(...must(batch))
    return rows
  }

  it('come back as they were added: users first, each by id, with versions and times', async () => {
    const directory = await newDirectory()
    const store = await open(directory)
    const all = [user(1n), user(10n), snippet(2n, '😀\0', 7), snippet(10n), snippet(maxId)]
    expect(await store.add(all.toReversed())()).to.deep.equal(right([]))
    expect(await rowsOf(store)).to.deep.equal(all)
    expect(await store.lastId()).to.deep.equal(right(maxId))
    await store.close()
    const again = await open(directory)
    expect(await rowsOf(again)).to.deep.equal(all)
    await again.close()
  })

  it('are not changed by an addition, which returns them as they are', async () => {
    const store = await open(await newDirectory())
    must(await store.add([user(1n), snippet(1n)])())
    expect(must(await store.add([snippet(1n, 'other'), user(1n, 'bob'), snippet(2n)])())).to.deep.equal([
      snippet(1n),
      user(1n),
    ])
    expect(must(await store.add([snippet(3n), snippet(3n, 'twice')])())).to.deep.equal([snippet(3n)])
    expect(await rowsOf(store)).to.deep.equal([user(1n), snippet(1n), snippet(2n), snippet(3n)])
    await store.close()
  })

  it('are served by a storage that opens the directory, with the next id', async () => {
    const directory = await newDirectory()
    const store = await open(directory)
    must(await store.add([user(3n), snippet(5n)])())
    must(await store.raiseLastId(anId(20n))())
    must(await store.raiseLastId(anId(7n))())
    expect(await store.lastId()).to.deep.equal(right(20n))
    await store.close()
    const storage = await openKept(directory)
    expect(await everything(storage.snippets)).to.deep.equal([snippet(5n).row])
    expect(must(await storage.users.get(anId(3n))())).to.deep.equal(user(3n).row)
    expect(must(await storage.snippets.create(draft())()).id).to.equal(21n)
    await storage.close()
  })

  it('leave out the keys of creations', async () => {
    const directory = await newDirectory()
    const storage = await openKept(directory)
    const { item } = must(await storage.snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })())
    await storage.close()
    const store = await open(directory)
    expect(await rowsOf(store)).to.deep.equal([{ kind: 'snippet', row: item }])
    await store.close()
  })

  it('are not made where there is no data directory', async () => {
    const directory = await newDirectory()
    expect(await openKeptRows({ directory, mayCreate: false })()).to.deep.equal(
      left('is not a data directory: it has no folder snippets'),
    )
  })

  it('are not added any more after a batch has failed', async () => {
    const store = await open(await newDirectory())
    const failing = mock.method(ClassicLevel.prototype, 'batch', () => Promise.reject(new Error('broken')))
    expect(await store.add([snippet(1n)])()).to.deep.equal(left('cannot be used (broken)'))
    failing.mock.restore()
    expect(await store.add([snippet(2n)])()).to.deep.equal(left('cannot be used (broken)'))
    expect(await rowsOf(store)).to.deep.equal([])
    await store.close()
  })

  it('end with a sentence when one is missing or cannot be read', async () => {
    for (const harm of ['', '{', '{"title":""}']) {
      const directory = await newDirectory()
      const store = await open(directory)
      must(await store.add([1n, 2n, 3n].map(id => snippet(id)))())
      await store.close()
      const level = new ClassicLevel(join(directory, 'snippets'))
      if (harm === '') await level.del(rowKey('snippet', 2n))
      else await level.put(rowKey('snippet', 2n), harm)
      await level.close()
      const spoiled = await open(directory)
      const last = []
      for await (const batch of spoiled.rows()) last.push(batch)
      const why =
        harm === '' ? '2 of 3 rows were read, and their checksum differs' : 'it holds snippet 2 with a malformed '
      expect(last.at(-1)).to.have.property('left').that.contains(`is damaged (${why}`)
      await spoiled.close()
    }
  })
})
