import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCodes, problemNames, problemTable } from '@snippets/adapters-http/answer/problems.js'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'

describe('docs/problems.md', () => {
  let page: string
  before(async () => {
    page = await readFile(join(root, 'docs/problems.md'), 'utf8')
  })

  it('has a row for each problem of the table, and no other', () => {
    const rows = page.split('\n').filter(line => line.startsWith('| `urn:'))
    const expected = problemNames.map(name => {
      const { status, title, detail } = problemTable[name]
      return `| \`urn:snippets:${name}\` | ${status} | ${title} | ${detail} |`
    })
    expect(rows).to.deep.equal(expected)
  })

  it('explains each code of errors, and no other', () => {
    const codes = [...page.matchAll(/^\| `([a-z]+)` \|/gm)].map(([, code]) => code)
    expect(codes).to.deep.equal(errorCodes)
  })
})
