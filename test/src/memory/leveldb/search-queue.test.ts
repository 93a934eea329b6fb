import { mock } from 'node:test'
import { SnippetTable } from '@snippets/adapters-memory/state/snippet-table.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { firstPage } from '../../support/queries.js'
import { draft } from '../../support/snippets.js'
import { directories, onBatch, openDirectory } from '../../support/storage/data-directory.js'

describe('The queue of searches', () => {
  const newDirectory = directories()
  afterEach(() => mock.reset())

  it('is the same before and after a recovery of the directory, so that its limit holds', async () => {
    let recoveries = 0
    const storage = await openDirectory(await newDirectory(), { onRecovery: () => recoveries++ })
    /** Returns the table and the queue that serve a page. */
    const current = async () => {
      const page = mock.method(SnippetTable.prototype, 'page')
      await storage.snippets.page(firstPage())()
      const [call] = page.mock.calls
      page.mock.restore()
      return { table: call?.this, queue: call?.arguments[1] }
    }
    const before = await current()
    onBatch(() => Promise.reject(new Error('broken')))
    await storage.snippets.create(draft())()
    mock.reset()
    await eventually(() => recoveries > 0)
    const after = await current()
    expect(after.table).to.be.instanceOf(SnippetTable).and.not.equal(before.table)
    expect(after.queue).to.be.a('function').and.equal(before.queue)
    await storage.close()
  })
})
