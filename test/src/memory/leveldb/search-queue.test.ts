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
    /** Returns the table that serves a page. */
    const currentTable = async (): Promise<SnippetTable> => {
      const page = mock.method(SnippetTable.prototype, 'page')
      await storage.snippets.page(firstPage())()
      const [call] = page.mock.calls
      page.mock.restore()
      if (!(call?.this instanceof SnippetTable)) throw new Error('no table served the page')
      return call.this
    }
    const before = await currentTable()
    onBatch(() => Promise.reject(new Error('broken')))
    await storage.snippets.create(draft())()
    mock.reset()
    await eventually(() => recoveries > 0)
    const after = await currentTable()
    expect(after).to.not.equal(before)
    expect(after.queueSearch).to.equal(before.queueSearch)
    await storage.close()
  })
})
