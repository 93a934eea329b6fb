import { basename } from 'node:path'
import { expect } from 'chai'
import { packages, type Source } from './workspace.js'

const sources = packages.flatMap(package_ => package_.sources)

const filesWith = (found: (source: Source) => boolean, among = sources): readonly string[] =>
  among.filter(found).map(({ file }) => file)

describe('The sources', () => {
  it('have no index.ts', () => {
    expect(filesWith(({ file }) => basename(file) === 'index.ts')).to.deep.equal([])
  })

  it('export nothing that another file defines', () => {
    expect(
      filesWith(({ text }) => /^export\s+(type\s+)?(\*|\{[^}]*\})\s*(as\s+\w+\s+)?from\b/m.test(text)),
    ).to.deep.equal([])
  })

  it('import fp-ts by the one path that works both for the compiler and at run time', () => {
    const wrong = (specifier: string) => /^fp-ts(\/|$)/.test(specifier) && !/^fp-ts\/lib\/\w+\.js$/.test(specifier)
    expect(filesWith(({ imports }) => imports.some(wrong))).to.deep.equal([])
  })

  it('read the environment in apps and test alone', () => {
    const inner = packages.filter(({ name }) => name !== 'apps' && name !== 'test').flatMap(({ sources }) => sources)
    const reads = ({ text, imports }: Source) =>
      /\bprocess\s*(\??\.\s*env\b|\[)/.test(text) || imports.includes('node:process')
    expect(filesWith(reads, inner)).to.deep.equal([])
    expect(filesWith(reads)).to.not.deep.equal([])
  })
})
