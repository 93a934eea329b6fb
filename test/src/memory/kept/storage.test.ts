import { mock } from 'node:test'
import { hashOf } from '@snippets/adapters-memory/kept/row-codec.js'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { storageContract } from '../../contracts/storage/storage-contract.js'
import { directories, openKept } from '../../support/kept.js'
import { draft } from '../../support/snippets.js'

describe('Memory storage with a directory', () => {
  const newDirectory = directories()
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
    const batches = mock.method(ClassicLevel.prototype, 'batch')
    await snippets.create(draft())()
    const options: unknown = batches.mock.calls.at(-1)?.arguments.at(-1)
    mock.reset()
    expect(options).to.deep.equal({ sync: true })
    await close()
  })
})
