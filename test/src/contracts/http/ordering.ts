import { expect } from 'chai'
import { pageOf, problemOf, type ShownSnippet } from '../../support/http/representations.js'
import { targetOf } from './paging.js'
import { generated, type Workspace } from './workspace.js'

const titles = [
  'b',
  'a',
  'B',
  'ab',
  'a',
  'a b',
  'é',
  'z',
  'e\u0301',
  // above U+FFFF: sorts after U+E000 and U+FF5E by code point, but before them by UTF-16 code unit
  '😀',
  '\ue000',
  '\uff5e',
  '😀a',
  'a\u0000',
  'b',
  '10',
  '9',
]

type Compare = (a: ShownSnippet, b: ShownSnippet) => number

// UTF-8 bytes sort as code points do
const byText = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

const compares: Readonly<Record<string, Compare>> = {
  title: (a, b) => byText(a.title, b.title),
  '-title': (a, b) => byText(b.title, a.title),
  created_at: (a, b) => byText(a.created_at, b.created_at),
  '-created_at': (a, b) => byText(b.created_at, a.created_at),
  id: (a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1),
  '-id': (a, b) => (BigInt(a.id) > BigInt(b.id) ? -1 : 1),
}

const orderings = [
  'title',
  '-title',
  'created_at',
  '-created_at',
  'title,created_at',
  'title,-created_at',
  '-title,created_at',
  '-title,-created_at',
  'created_at,title',
  'created_at,-title',
  '-created_at,title',
  '-created_at,-title',
]

const sorted = (snippets: readonly ShownSnippet[], ordering: string): readonly ShownSnippet[] => {
  const id = ordering.split(',').at(-1)?.startsWith('-') ? '-id' : 'id'
  const keys = [...ordering.split(','), id].flatMap(name => compares[name] ?? [])
  return [...snippets].sort((a, b) => keys.reduce((order, compare) => order || compare(a, b), 0))
}

/** The ordering parameter. */
export const ordering = ({ client, create, marker }: Workspace): void => {
  describe(`GET ${generated} with ordering`, () => {
    let language: string
    let created: readonly ShownSnippet[]
    const shown = (snippets: readonly ShownSnippet[]) => snippets.map(({ id, title }) => `${id} ${title}`)
    const target = (ordering: string, size: number) =>
      `${generated}?${new URLSearchParams({ language, ordering, page_size: String(size) })}`

    before(async () => {
      language = marker()
      // in concurrent batches, so that only some share a created_at
      const made: ShownSnippet[] = []
      for (let i = 0; i < titles.length; i += 6) {
        made.push(...(await Promise.all(titles.slice(i, i + 6).map(title => create({ language, title })))))
        await new Promise(resolve => setTimeout(resolve, 5))
      }
      created = made
    })

    it('sorts by id by default', async () => {
      const query = new URLSearchParams({ language, page_size: '100' })
      const { results } = pageOf(await client().get(`${generated}?${query}`))
      expect(shown(results)).to.deep.equal(shown(sorted(created, '')))
    })

    for (const by of orderings)
      it(`sorts by "${by}", text by code point and ties by id in the direction of the last field`, async () => {
        const { results } = pageOf(await client().get(target(by, 100)))
        expect(shown(results)).to.deep.equal(shown(sorted(created, by)))
      })

    for (const by of orderings)
      it(`sorts by "${by}" across pages of three`, async () => {
        const walked: ShownSnippet[] = []
        for (let at: string | null = target(by, 3); at !== null && walked.length < 100; ) {
          const page = pageOf(await client().get(at))
          walked.push(...page.results)
          at = page.next && targetOf(page.next)
        }
        expect(shown(walked)).to.deep.equal(shown(sorted(created, by)))
      })

    for (const [by, deciding] of [
      ['title,-created_at', '-created_at'],
      ['-created_at,title', '-created_at'],
      ['created_at,-title', 'created_at'],
      ['-title', ''],
    ] as const)
      it(`sorts by "${deciding || 'id'}" when "${by}" is asked for and title is filtered on`, async () => {
        const query = new URLSearchParams({ language, title: 'a', ordering: by, page_size: '100' })
        const { results } = pageOf(await client().get(`${generated}?${query}`))
        const same = created.filter(({ title }) => title === 'a')
        expect(shown(results)).to.deep.equal(shown(sorted(same, deciding)))
      })

    it('reflects an update', async () => {
      const own = marker()
      const [a, b] = [await create({ language: own, title: 'a' }), await create({ language: own, title: 'b' })]
      await client().patch(`${generated}${a.id}/`, { title: 'c' })
      const query = new URLSearchParams({ language: own, ordering: 'title' })
      const { results } = pageOf(await client().get(`${generated}?${query}`))
      expect(results.map(({ id }) => id)).to.deep.equal([b.id, a.id])
    })

    for (const value of [
      '',
      '-',
      ',',
      'title,',
      ',title',
      'title,,created_at',
      '--title',
      'id',
      '-id',
      'code',
      'language',
      'Title',
      ' title',
      'title ',
      'title, created_at',
      'title;created_at',
      'title desc',
      'title,-title',
      'title,title',
      'created_at,title,created_at',
      'created-at',
      '__proto__',
      'constructor',
      '$natural',
    ])
      it(`answers 400 to "${value}"`, async () => {
        const answer = await client().get(`${generated}?${new URLSearchParams({ ordering: value })}`)
        expect(answer.status).to.equal(400)
        const [error, ...others] = problemOf(answer).errors ?? []
        expect(others).to.deep.equal([])
        expect(error?.parameter).to.equal('ordering')
        for (const known of ['created_at', 'title']) expect(error?.message).to.include(known)
      })
  })
}
