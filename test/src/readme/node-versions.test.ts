import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8')

describe('The supported versions of Node.js', () => {
  let oldest: string
  let newest: number
  before(async () => {
    const { engines } = JSON.parse(await read('package.json'))
    const [, from = '', before] = /^>=(\S+) <(\d+)$/.exec(engines.node) ?? []
    oldest = from
    newest = Number(before) - 1
  })

  it('are the same in README and CONTRIBUTING as in package.json', async () => {
    for (const file of ['README.md', 'CONTRIBUTING.md'])
      expect(await read(file)).to.contain(`Node.js ${oldest} to ${newest}`)
  })

  it('are tested by the workflow, from the oldest to the newest', async () => {
    const [, matrix = ''] = /^ +node: \[(.*)\]$/m.exec(await read('.github/workflows/ci.yml')) ?? []
    const versions = matrix.split(', ')
    expect(versions[0]).to.equal(oldest.split('.', 1)[0])
    expect(versions.at(-1)).to.equal(String(newest))
    expect(versions).to.include((await read('.nvmrc')).trim())
  })
})
