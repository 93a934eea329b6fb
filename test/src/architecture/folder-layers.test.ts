import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect } from 'chai'
import { root } from '../support/workspace-root.js'
import { packages, type Source } from './workspace.js'

const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

/** The folders of each table, such as `domain/src/values/`, from the lowest layer to the highest. */
const tables = [...page.matchAll(/^\| Folder \| .*\n\|.*\n((?:\|.*\n)+)/gm)].map(([, rows = '']) =>
  [...rows.matchAll(/^\| `([^`]+)`/gm)].flatMap(([, folder]) => folder ?? []),
)

const sources = packages.flatMap(each => each.sources)

const imported = ({ file, imports }: Source): readonly string[] =>
  imports
    .filter(name => name.startsWith('.'))
    .map(name => posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts'))

describe('The folder tables of docs/architecture.md', () => {
  it('exist in the document', () => {
    expect(tables.flat()).to.include.members(['domain/src/values/', 'adapters-http/src/routes/'])
  })

  for (const folders of tables) {
    const base = posix.dirname(folders[0] ?? '')
    const inBase = sources.filter(({ file }) => file.startsWith(`${base}/`))
    /** The layer of a file outside the folders is the highest layer that it imports. */
    const layerOf = (file: string): number => {
      const layer = folders.findIndex(folder => file.startsWith(folder))
      const source = inBase.find(each => each.file === file)
      return layer >= 0 || source === undefined ? layer : Math.max(-1, ...imported(source).map(layerOf))
    }

    it(`name every folder of ${base}`, () => {
      const subfolders = inBase
        .map(({ file }) => file.split('/').slice(0, 3))
        .filter(([, , name]) => !name?.endsWith('.ts'))
      expect(folders).to.have.members([...new Set(subfolders.map(parts => `${parts.join('/')}/`))])
    })

    it(`list the folders of ${base} from the lowest layer to the highest`, () => {
      const upward = inBase.flatMap(source => {
        const layer = layerOf(source.file)
        return imported(source)
          .filter(target => layerOf(target) > layer)
          .map(target => `${source.file} imports ${target}`)
      })
      expect(upward).to.deep.equal([])
    })
  }
})
