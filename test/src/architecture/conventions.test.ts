import { basename } from 'node:path'
import { expect } from 'chai'
import { packages, type Source } from './workspace.js'

const sources = packages.flatMap(package_ => package_.sources)

const filesWith = (found: (source: Source) => boolean, among = sources): readonly string[] =>
  among.filter(found).map(({ file }) => file)

describe('Every source file', () => {
  it('is not named index.ts', () => {
    expect(filesWith(({ file }) => basename(file) === 'index.ts')).to.deep.equal([])
  })

  it('exports only what it defines', () => {
    expect(
      filesWith(({ text }) => /^export\s+(type\s+)?(\*|\{[^}]*\})\s*(as\s+\w+\s+)?from\b/m.test(text)),
    ).to.deep.equal([])
  })

  it('imports fp-ts by the only path that works in the compiler and at run time', () => {
    const wrong = (specifier: string) => /^fp-ts(\/|$)/.test(specifier) && !/^fp-ts\/lib\/\w+\.js$/.test(specifier)
    expect(filesWith(({ imports }) => imports.some(wrong))).to.deep.equal([])
  })

  it('leaves process.env to apps and test', () => {
    const inner = packages.filter(({ name }) => name !== 'apps' && name !== 'test').flatMap(({ sources }) => sources)
    const reads = ({ text, imports }: Source) =>
      /\bprocess\s*(\??\.\s*env\b|\[)/.test(text) || imports.includes('node:process')
    expect(filesWith(reads, inner)).to.deep.equal([])
    expect(filesWith(reads)).to.not.deep.equal([])
  })
})
