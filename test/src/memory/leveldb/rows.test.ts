import { mock } from 'node:test'
import { openDirectoryRows } from '@snippets/adapters-memory/leveldb/directory-rows.js'
import { openPersistentStorage } from '@snippets/adapters-memory/leveldb/persistent-storage.js'
import { windowOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { failureOf, rowStoreContract, rowsOf, snippetRow, userRow } from '../../contracts/storage/row-store-contract.js'
import { everything } from '../../contracts/storage/stream.js'
import { anId, draft, must } from '../../support/snippets.js'
import { directories, openDirectory } from '../../support/storage/data-directory.js'

describe('The rows of a data directory', () => {
  const newDirectory = directories()
  const open = (directory: string) => openDirectoryRows({ directory, mayCreate: true })

  describe('in the row store contract', () => rowStoreContract(async () => open(await newDirectory())()))

  it('are served by a storage that opens the directory, with the next id', async () => {
    const directory = await newDirectory()
    const store = must(await open(directory)())
    must(await store.add([userRow(3n), snippetRow(5n)])())
    must(await store.raiseLastId(anId(20n))())
    must(await store.close())
    const storage = await openDirectory(directory)
    expect(await everything(storage.snippets)).to.deep.equal([snippetRow(5n).row])
    expect(must(await storage.users.get(anId(3n))())).to.deep.equal(userRow(3n).row)
    expect(must(await storage.snippets.create(draft())()).id).to.equal(21n)
    await storage.close()
  })

  it('are served with the users of the settings in place of their own', async () => {
    const directory = await newDirectory()
    const store = must(await open(directory)())
    must(await store.add([userRow(3n)])())
    must(await store.close())
    const given = { id: anId(4n), username: 'grace' }
    const { users, close } = must(
      await openPersistentStorage({ directory, users: [given], onFailure: () => {}, onRecovery: () => {} })(),
    )
    expect(must(await users.page(windowOf(1, 10))()).items).to.deep.equal([given])
    await close()
  })

  it('leave out the keys of creations', async () => {
    const directory = await newDirectory()
    const storage = await openDirectory(directory)
    const { item } = must(await storage.snippets.createOnce(draft(), { key: 'k', fingerprint: 'f' })())
    await storage.close()
    const store = must(await open(directory)())
    expect(await rowsOf(store)).to.deep.equal([{ kind: 'snippet', row: item }])
    expect(must(await store.lastId())).to.equal(item.id)
    must(await store.close())
  })

  it('do not open if there is no data directory', async () => {
    const directory = await newDirectory()
    const opened = openDirectoryRows({ directory, mayCreate: false })
    expect(await failureOf(opened)).to.equal('is not a data directory: it has no folder named snippets')
  })

  it('reject additions after a failed batch', async () => {
    const store = must(await open(await newDirectory())())
    const failing = mock.method(ClassicLevel.prototype, 'batch', () => Promise.reject(new Error('broken')))
    expect(await failureOf(store.add([snippetRow(1n)]))).to.equal('broken')
    failing.mock.restore()
    expect(await failureOf(store.add([snippetRow(2n)]))).to.equal('broken')
    expect(await rowsOf(store)).to.deep.equal([])
    must(await store.close())
  })
})
