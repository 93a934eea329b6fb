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

  it('are tested, from the oldest to the newest', async () => {
    const [, first] = /^ +node-version: (.*)$/m.exec(await read('.github/workflows/ci.yml')) ?? []
    const [, others = ''] = /^for version in (.*); do$/m.exec(await read('.ci/run')) ?? []
    expect(first).to.equal(oldest.split('.', 1)[0])
    expect(others.split(' ')).to.include((await read('.nvmrc')).trim())
    expect(others.split(' ').at(-1)).to.equal(String(newest))
  })
})
