import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

const file = join(root, 'apps/preflight.cjs')
const { nodeComplaint }: { nodeComplaint: (version: string) => string } = createRequire(import.meta.url)(file)

describe('The preflight', () => {
  for (const version of ['12.22.12', '18.20.4', '20.18.3'])
    it(`rejects Node ${version} and says which version is needed`, () => {
      expect(nodeComplaint(version)).to.equal(
        `Node.js 20.19 or newer is required, but this is ${version}. Install a newer version from https://nodejs.org and try again.`,
      )
    })

  for (const version of ['20.19.0', '20.20.2', '22.0.0', '24.1.0'])
    it(`accepts Node ${version}`, () => {
      expect(nodeComplaint(version)).to.equal('')
    })

  it('uses only syntax that Node 12 can parse', async () => {
    const code = (await readFile(file, 'utf8')).replaceAll(/\/\/.*|\/\*.*?\*\//g, '')
    expect(code).to.not.match(/\?\.|\?\?|[|&]{2}=|\bimport\b|\bawait\b|\bstatic\b|\d_\d/)
  })

  it('requires no `node:` module before it has checked the version', async () => {
    const beforeFunctions = (await readFile(file, 'utf8')).match(/^const .*require\('node:.*$/gm)
    expect(beforeFunctions).to.equal(null)
  })
})
