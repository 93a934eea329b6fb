import { mock } from 'node:test'
import { expect } from 'chai'
import { ClassicLevel } from 'classic-level'
import { storageContract } from '../../contracts/storage/storage-contract.js'
import { directories, openKept } from '../../support/kept.js'
import { draft, must } from '../../support/snippets.js'

describe('Memory storage with a directory', () => {
  const newDirectory = directories()
  afterEach(() => mock.reset())
  storageContract('memory with a directory', {
    open: async ({ firstId, users = [] }) =>
      openKept(await newDirectory(), { users, ...(firstId !== undefined && { firstId }) }),
    openSmall: async () => openKept(await newDirectory(), { ceilingBytes: 1024 * 1024 }),
  })

  it('sends the writes of one turn to LevelDB in one batch, which it syncs', async () => {
    const { snippets, close } = await openKept(await newDirectory())
    const batch = mock.method(ClassicLevel.prototype, 'batch')
    for (const created of await Promise.all(Array.from({ length: 3 }, () => snippets.create(draft())()))) must(created)
    expect(batch.mock.calls.map(call => [...call.arguments].at(-1))).to.deep.equal([{ sync: true }])
    await close()
  })
})
