import { basename } from 'node:path'
import { expect } from 'chai'
import { packages, type Source } from './workspace.js'

const inner = ['domain', 'application']
const adapters = packages.map(({ name }) => name).filter(name => name.startsWith('adapters-'))

/** The packages of the workspace that each package may depend on. pnpm and the compiler ensure that it imports no others. */
const uses: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  application: ['domain'],
  ...Object.fromEntries(adapters.map(name => [name, inner])),
  apps: [...inner, ...adapters],
  test: [...inner, ...adapters, 'apps'],
}

/** Undocumented parts of Node, V8 and libraries, and casts to an unrelated type. */
const undocumented = [
  /\bsocket\??\.parser\b/,
  /\{[^{}]*\bparser\b[^{}]*\} = [\w.]*socket\b/,
  /\b(?:onIncoming|_header|_dumped|shouldKeepAlive|httpAllowHalfOpen|setFlagsFromString)\b/,
  /\bNetServer\.prototype\b/,
  /\bas unknown as\b/,
  /\.binding\(/,
]

const product = packages.filter(({ name }) => name !== 'test').flatMap(({ sources }) => sources)

const filesWith = (found: (source: Source) => boolean): readonly string[] =>
  product.filter(found).map(({ file }) => file)

describe('The workspace', () => {
  it('has packages that depend on inner packages only', () => {
    expect(packages.map(({ name }) => name)).to.have.members(Object.keys(uses))
    for (const { name, dependencies } of packages) {
      const allowed = (uses[name] ?? []).map(used => `@snippets/${used}`)
      const ours = dependencies.filter(dependency => dependency.startsWith('@snippets/'))
      expect(allowed, name).to.include.members(ours)
      // the inner packages have no other libraries
      if (inner.includes(name)) expect(['fp-ts', 'io-ts', ...allowed], name).to.include.members(dependencies)
    }
  })

  it('keeps adapters-http from importing the ports, because it calls use cases only', () => {
    const importers = filesWith(({ imports }) =>
      imports.some(name => /^@snippets\/domain\/ports\/(?:ports|storage)\.js$/.test(name)),
    )
    expect(importers.length).to.be.greaterThan(0)
    expect(importers.filter(file => file.startsWith('adapters-http/'))).to.deep.equal([])
  })

  it('uses documented APIs only, and has no index.ts', () => {
    expect(filesWith(({ text }) => undocumented.some(name => name.test(text)))).to.deep.equal([])
    expect(filesWith(({ file }) => basename(file) === 'index.ts')).to.deep.equal([])
  })
})
