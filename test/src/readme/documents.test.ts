import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { packages } from '../architecture/workspace.js'
import { root } from '../support/workspace-root.js'
import { codeSpans, documents } from './documents.js'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

const mediaType = /^(?:application|text)\/(?:[\w-]+\+)?(?:json|plain)$/
const isPath = (span: string): boolean =>
  /^[\w.-]+(?:\/[\w.-]*)+$/.test(span) && !mediaType.test(span) && !span.startsWith('fp-ts/')

/** Returns the anchor that GitHub makes from a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')

const isReachable = (from: string, link: string): boolean => {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? from : join(dirname(from), path)
  if (!existsSync(join(root, target)) || anchor === undefined) return anchor === undefined
  return [...read(target).matchAll(/^#+ (.*)$/gm)].some(([, heading = '']) => anchorOf(heading) === anchor)
}

describe('The documents', () => {
  for (const { file, text } of documents)
    it(`name and link only files that exist, in ${file}`, () => {
      expect(codeSpans(text).filter(span => isPath(span) && !existsSync(join(root, span)))).to.deep.equal([])
      const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link]) => link ?? [])
      const local = links.filter(link => !/^https?:/.test(link))
      expect(local.filter(link => !isReachable(file, link))).to.deep.equal([])
    })

  it('show the dependencies of the packages in a diagram', () => {
    const arrows = [...read('docs/architecture.md').matchAll(/^ {2}(\S+) --> (\S+)$/gm)]
    const declared = packages
      .filter(({ name }) => name !== 'test')
      .flatMap(({ name, dependencies }) => dependencies.map(dependency => [name, dependency.split('@snippets/')[1]]))
    expect(arrows.map(([, from, to]) => [from, to])).to.have.deep.members(declared.filter(([, ours]) => ours))
  })
})
