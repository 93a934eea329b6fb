import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readFromRoot } from '../support/workspace-root.js'
import { checksumsOf, fixture, releases } from './fixtures.js'

const dated = [...readFromRoot('CHANGELOG.md').matchAll(/^## (\S+) - /gm)].map(([, version = '']) => version)
const [major, minor] = (dated[0] ?? '').split('.').map(Number)

describe('The fixtures', () => {
  it('exist for every dated version of the changelog', () => {
    expect(dated).to.not.be.empty
    expect(releases).to.include.members(dated)
  })

  it('hold the same stored files in every release, as the formats are the same', () => {
    const storedIn = (release: string): readonly string[] => checksumsOf(release).match(/.+(?<!openapi\.json)$/gm) ?? []
    const [first = '', ...later] = releases
    expect(storedIn(first)).to.not.be.empty
    for (const release of later) {
      const advice = `Compare ${release} with releases of its formats only, if it changes a format on purpose`
      expect(storedIn(release), advice).to.include.members([...storedIn(first)])
    }
  })

  for (const release of releases)
    it(`of ${release} are those of its checksums`, () => {
      const next = `${major}.${Number(minor) + 1}.0`
      const advice = `Restore test/fixtures/${release}. A change of formats needs a folder of its own: ${next}`
      expect(checksumsOf(release), advice).to.equal(readFileSync(fixture(release, 'SHA256SUMS'), 'utf8'))
    })
})
