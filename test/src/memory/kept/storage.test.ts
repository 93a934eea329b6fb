import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mock } from 'node:test'
import { emptyHead } from '@snippets/adapters-memory/kept/head.js'
import { openKeptRows } from '@snippets/adapters-memory/kept/kept-rows.js'
import { rowKey } from '@snippets/adapters-memory/kept/keys.js'
import { encodeRow, hashOf } from '@snippets/adapters-memory/kept/row-codec.js'
import { openRowFile } from '@snippets/adapters-memory/kept/row-file.js'
import { dataDirectory } from '@snippets/apps/data-directory.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { storageContract } from '../../contracts/storage/storage-contract.js'
import { directories, openKept } from '../../support/kept.js'
import { anId, draft, must } from '../../support/snippets.js'

/** Returns the options of the latest batch that LevelDB has been given. */
const spyOnBatches = (): (() => unknown) => {
  const batches = mock.method(ClassicLevel.prototype, 'batch')
  return () => batches.mock.calls.at(-1)?.arguments.at(-1)
}

describe('Memory storage with a directory', () => {
  const newDirectory = directories()
  afterEach(() => mock.reset())
  storageContract('memory with a directory', {
    open: async ({ firstId, users = [] }) =>
      openKept(await newDirectory(), { users, ...(firstId !== undefined && { firstId }) }),
    openSmall: async () => openKept(await newDirectory(), { ceilingBytes: 1024 * 1024 }),
  })

  it('has another checksum for another id, also beyond 32 bits', () => {
    expect(hashOf(2n ** 32n + 1n, 'row')).not.to.equal(hashOf(1n, 'row'))
  })

  it('answers a write after a batch that LevelDB syncs', async () => {
    const { snippets, close } = await openKept(await newDirectory())
    const latestOptions = spyOnBatches()
    await snippets.create(draft())()
    expect(latestOptions()).to.deep.equal({ sync: true })
    await close()
  })

  it('syncs what a transfer has brought, and remembers each batch of it as a group of writes', async () => {
    const directory = await newDirectory()
    const rows = must(await openKeptRows(must(await dataDirectory(directory))))
    const latestOptions = spyOnBatches()
    for (const id of [1n, 2n]) must(await rows.insert([{ kind: 'user', row: { id: anId(id), username: 'ada' } }]))
    must(await rows.finish())
    expect(latestOptions()).to.deep.equal({ sync: true })
    await rows.close()
    expect(await readFile(join(directory, 'snippets', 'closed'), 'utf8')).to.equal('2\n')
  })

  it('reads nothing behind a row that cannot be read, so that nobody takes the rest for all', async () => {
    const file = must(await openRowFile(must(await dataDirectory(await newDirectory()))))
    const changes = Array.from({ length: 2500 }, (_, i) => {
      const id = anId(BigInt(i + 1))
      return { key: rowKey('user', id), text: id === 1500n ? '{' : encodeRow({ id, username: 'ada' }) }
    })
    await file.write(changes, emptyHead)
    const batches: string[] = []
    for await (const batch of file.users()) batches.push(batch._tag)
    expect(batches).to.deep.equal(['Right', 'Left'])
    await file.close()
  })
})
