import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { packages } from '../architecture/workspace.js'
import { outageContract } from '../contracts/storage/outage-contract.js'
import { storageContract } from '../contracts/storage/storage-contract.js'
import { objectHarness, objectOutages } from '../support/storage/object-harness.js'
import { root } from '../support/workspace-root.js'
import { codeSpans } from './documents.js'

describe('The storage in docs/adding-a-storage.md', function () {
  this.timeout(60_000)

  it('is documented with a table of helpers that exist', async () => {
    const words = new Set(packages.flatMap(({ sources }) => sources.flatMap(({ text }) => text.match(/\w+/g) ?? [])))
    const page = await readFile(join(root, 'docs/adding-a-storage.md'), 'utf8')
    const helpers = codeSpans(page).filter(span => /^[a-z]+[A-Z]\w*$/.test(span))
    expect(helpers).to.include('operationQueue')
    expect(helpers.filter(name => !words.has(name))).to.deep.equal([])
  })

  storageContract('the example', objectHarness)
  outageContract('the example', objectOutages)
})
