import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

const read = (file: string): Promise<string> => readFile(join(root, file), 'utf8')

describe('The supported versions of Node.js', () => {
  let oldest: string
  before(async () => {
    const { engines } = JSON.parse(await read('package.json'))
    oldest = engines.node.replace('>=', '')
  })

  it('begin with the same one in README and CONTRIBUTING as in package.json', async () => {
    for (const file of ['README.md', 'CONTRIBUTING.md'])
      expect(await read(file)).to.contain(`Node.js ${oldest} or newer`)
  })

  it('are tested, from the oldest to newer than that of .nvmrc', async () => {
    const [, first] = /^ +node-version: (.*)$/m.exec(await read('.github/workflows/ci.yml')) ?? []
    const [, others = ''] = /^for version in (.*); do$/m.exec(await read('.ci/run')) ?? []
    expect(first).to.equal(oldest.split('.', 1)[0])
    expect(others.split(' ')).to.include((await read('.nvmrc')).trim())
  })
})
