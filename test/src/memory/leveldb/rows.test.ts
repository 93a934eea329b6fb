import { chown, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { openDirectoryRows } from '@snippets/adapters-memory/leveldb/directory-rows.js'
import { openPersistentStorage } from '@snippets/adapters-memory/leveldb/persistent-storage.js'
import { windowOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { failureOf, rowStoreContract, rowsOf, snippetRow, userRow } from '../../contracts/storage/row-store-contract.js'
import { anId, draft, must } from '../../support/snippets.js'
import { directories, openDirectory } from '../../support/storage/data-directory.js'

const open = (directory: string) => openDirectoryRows({ directory, mayCreate: true })

rowStoreContract('a data directory', {
  create: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'rows-'))
    return {
      openRows: open(directory),
      openStorage: () => openDirectory(directory),
      remove: () => rm(directory, { recursive: true }),
    }
  },
})

describe('The rows of a data directory', () => {
  const newDirectory = directories()

  it('are served with the users of the settings instead of the stored users', async () => {
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

  it('belong to the owner of the directory after root has opened and closed it', async function () {
    if (process.geteuid?.() !== 0) return this.skip()
    const directory = await newDirectory()
    await chown(directory, 12_345, 12_345)
    for (let i = 0; i < 2; i++) must(await must(await open(directory)()).close())
    const paths = await readdir(directory, { recursive: true })
    const owners = await Promise.all(paths.map(async path => (await stat(join(directory, path))).uid))
    expect(owners.length).to.be.above(4)
    expect(new Set(owners)).to.deep.equal(new Set([12_345]))
  })

  it('leave out idempotency keys', async () => {
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
