import { readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect } from 'chai'
import { productPackages as packages, readFromRoot as read, root } from '../support/workspace-root.js'

type Source = Readonly<{ file: string; text: string; imports: readonly string[] }>

// relies on the formatter's spacing, so that `Buffer.from('x')` does not match
const importStatement = /\b(?:from |import |import\()['"]([^'"\n]+)['"]/g

const sourcesOf = (name: string): readonly Source[] =>
  readdirSync(join(root, name, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => {
      const text = read(join(name, 'src', file))
      const imports = [...text.matchAll(importStatement)].flatMap(([, specifier]) => specifier ?? [])
      return { file: join(name, 'src', file), text, imports }
    })

const dependenciesOf = (name: string): readonly string[] =>
  Object.keys(JSON.parse(read(`${name}/package.json`)).dependencies)

const compilerOptionsIn = (file: string) => JSON.parse(read(file)).compilerOptions

const sources = packages.flatMap(sourcesOf)
const architecture = read('docs/architecture.md')

const filesWith = (found: (source: Source) => boolean): readonly string[] =>
  sources.filter(found).map(({ file }) => file)

/** Undocumented parts of Node, V8 and libraries, and casts to unrelated types. docs/decisions.md lists exceptions. */
const undocumented = [
  /\bsocket\??\.parser\b/,
  /\{[^{}]*\bparser\b[^{}]*\} = [\w.]*socket\b/,
  /\b(?:onIncoming|_header|_dumped|shouldKeepAlive|httpAllowHalfOpen|setFlagsFromString)\b/,
  /\bNetServer\.prototype\b/,
  /\bas unknown as\b/,
  /\.binding\(/,
]

// pnpm and the compiler ensure that a package imports its dependencies only
describe('The packages', () => {
  it('depend on inner packages only, as in the diagram of docs/architecture.md', () => {
    const declared = packages.flatMap(name =>
      dependenciesOf(name).flatMap(used => (used.startsWith('@snippets/') ? `${name} --> ${used.slice(10)}` : [])),
    )
    const inward =
      /^(?:apps --> .+|.+ --> domain|adapters-http --> application|adapters-(?!http |memory ).+ --> remote-storage)$/
    expect(declared.filter(arrow => !inward.test(arrow))).to.deep.equal([])
    expect(architecture.match(/\S+ --> \S+/g)).to.have.members(declared)
  })

  it('have no libraries but fp-ts and io-ts, and no types of Node or of browsers, in domain and application', () => {
    for (const name of ['domain', 'application']) {
      expect(['@snippets/domain', 'fp-ts', 'io-ts']).to.include.members(dependenciesOf(name))
      expect(compilerOptionsIn(`${name}/tsconfig.json`)).to.have.property('types').that.is.empty
      expect(compilerOptionsIn(`${name}/tsconfig.json`)).to.not.have.property('lib')
    }
    expect(compilerOptionsIn('tsconfig.base.json').lib.join()).to.match(/^(?:,?es[\w.]+)+$/)
  })

  it('keep adapters-http from importing the ports, because it calls use cases only', () => {
    const importers = filesWith(({ imports }) =>
      imports.some(name => /^@snippets\/domain\/ports\/(?:stores|storage)\.js$/.test(name)),
    )
    expect(importers.length).to.be.greaterThan(0)
    expect(importers.filter(file => file.startsWith('adapters-http/'))).to.deep.equal([])
  })

  it('keep the server of adapters-http out of all but these files', () => {
    // `ctx.bodies` gives access to the server without an import
    const users = filesWith(
      ({ file, imports, text }) =>
        /^adapters-http\/src\/(?!server\/)/.test(file) &&
        (imports.some(name => /\/server\//.test(name)) || /\bBodies\b|\bctx\.bodies\b/.test(text)),
    )
    expect(users.map(file => file.slice('adapters-http/src/'.length))).to.have.members([
      'serve-api.ts',
      'middleware/create-rejecter.ts',
      'admin/serve-admin.ts',
      'middleware/check-request.ts',
      'middleware/create-app.ts',
      'request/read-body.ts',
      'response/response.ts',
    ])
  })

  it('have no comment that is longer than a line in .editorconfig, because the formatter wraps none', () => {
    const [, limit] = /^max_line_length = (\d+)/m.exec(read('.editorconfig')) ?? []
    const long = [...sources, ...['test', 'test/tools'].flatMap(sourcesOf)].flatMap(({ file, text }) =>
      text
        .split('\n')
        .filter(line => /^ *(?:\/\/|\/?\*)/.test(line) && line.length > Number(limit))
        .map(line => `${file}: ${line}`),
    )
    expect(long).to.deep.equal([])
  })

  it('use none of the listed undocumented APIs', () => {
    expect(filesWith(({ text }) => undocumented.some(name => name.test(text)))).to.deep.equal([])
  })
})

/** The folders of each list, such as `domain/src/values/`, from the lowest layer to the highest. */
const lists = [...architecture.matchAll(/^Folders of .*\n\n((?:- .*\n)+)/gm)].map(([, rows = '']) =>
  [...rows.matchAll(/^- `([^`]+)`/gm)].flatMap(([, folder]) => folder ?? []),
)

const imported = ({ file, imports }: Source): readonly string[] =>
  imports
    .filter(name => name.startsWith('.'))
    .map(name => posix.join(posix.dirname(file), name).replace(/\.js$/, '.ts'))

describe('The lists of folders in docs/architecture.md', () => {
  it('name every folder', () => {
    const folders = sources
      .map(({ file }) => file.split('/').slice(0, 3))
      .filter(([, , name]) => !name?.endsWith('.ts'))
    expect(lists.flat()).to.have.members([...new Set(folders.map(parts => `${parts.join('/')}/`))])
  })

  for (const folders of lists)
    it(`name the folders of ${posix.dirname(folders[0] ?? '')} from the lowest layer to the highest`, () => {
      /** The layer of a file outside the folders is the highest layer that it imports. */
      const layerOf = (file: string): number => {
        const layer = folders.findIndex(folder => file.startsWith(folder))
        const source = sources.find(each => each.file === file)
        return layer >= 0 || source === undefined ? layer : Math.max(-1, ...imported(source).map(layerOf))
      }
      const upward = sources.flatMap(source =>
        imported(source)
          .filter(target => layerOf(target) > layerOf(source.file))
          .map(target => `${source.file} imports ${target}`),
      )
      expect(upward).to.deep.equal([])
    })
})
