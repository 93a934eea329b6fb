import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { packages } from '../architecture/workspace.js'
import { root } from '../support/workspace-root.js'
import { codeSpans, documents } from './documents.js'

const mediaType = /^(?:application|text)\/(?:[\w-]+\+)?(?:json|plain)$/
const isPath = (span: string): boolean =>
  /^[\w.-]+(?:\/[\w.-]*)+$/.test(span) && !mediaType.test(span) && !span.startsWith('fp-ts/')

/** As GitHub makes it from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

const anchorsOf = (file: string): readonly string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))

const isReachable = (from: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? join(root, from) : join(root, dirname(from), path)
  return existsSync(target) && (anchor === undefined || anchorsOf(target).includes(anchor))
}

describe('The documents', () => {
  for (const { file, text } of documents) {
    it(`name only files and folders that exist, in ${file}`, () => {
      const missing = codeSpans(text).filter(span => isPath(span) && !existsSync(join(root, span)))
      expect(missing).to.deep.equal([])
    })

    it(`link only to what exists, in ${file}`, () => {
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => link ?? [])
      const local = links.filter(link => !/^https?:/.test(link))
      expect(local.filter(link => !isReachable(file, link))).to.deep.equal([])
    })
  }

  it('show in one picture which package depends on which', () => {
    const picture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
    const drawn = [...picture.matchAll(/^ {2}(\S+) --> (\S+)$/gm)].map(([, from, to]) => `${from} --> ${to}`)
    const declared = packages
      .filter(({ name }) => name !== 'test')
      .flatMap(({ name, dependencies }) =>
        dependencies
          .filter(dependency => dependency.startsWith('@snippets/'))
          .map(dependency => `${name} --> ${dependency.replace('@snippets/', '')}`),
      )
    expect(drawn).to.have.members(declared)
  })
})
