import { expect } from 'chai'
import type { Answer } from '../../support/http/raw-http.js'
import { header, pageOf } from '../../support/http/representations.js'
import { explicit, generated, type Workspace } from './workspace.js'

/** The targets of a Link header by their relation. */
export const linksOf = (answer: Answer): Readonly<Record<string, string>> => {
  const text = header(answer, 'Link')
  expect(text).to.match(/^(<[^<>" ]+>; rel="[a-z-]+"(, |$))+$/)
  return Object.fromEntries([...text.matchAll(/<([^>]*)>; rel="([^"]*)"/g)].map(([, url, relation]) => [relation, url]))
}

/** The Link header (RFC 8288): the pages around a page, and the description of the service. */
export const links = ({ client, create, marker }: Workspace): void => {
  describe('Link', () => {
    for (const path of [explicit, generated, '/api/snippets/config/', '/api/users/'])
      it(`leads from ${path} to the schema`, async () => {
        for (const ask of [client().get, client().head]) {
          const { 'service-desc': description = '' } = linksOf(await ask(path))
          expect(new URL(description, 'http://any').pathname).to.match(/\/api\/schema\/$/)
        }
      })

    it('repeats next and previous of a page, and adds the first', async () => {
      const language = marker()
      for (let i = 0; i < 3; i++) await create({ language })
      const query = `${generated}?language=${encodeURIComponent(language)}&page_size=1`
      for (const page of [1, 2, 3, 4]) {
        const answer = await client().get(`${query}&page=${page}`)
        const { next, previous } = pageOf(answer)
        const { first, prev, next: following } = linksOf(answer)
        expect([following, prev]).to.deep.equal([next ?? undefined, previous ?? undefined])
        expect(first === undefined).to.equal(page === 1)
        if (first !== undefined) expect(new URL(first).searchParams.get('page')).to.equal('1')
      }
    })

    it('has no pages when their URLs are long, so that no client refuses the head', async () => {
      const answer = await client().get(`${generated}?page=2&title=${'%22'.repeat(1300)}`)
      expect(answer.status).to.equal(200)
      expect(Object.keys(linksOf(answer))).to.deep.equal(['service-desc'])
      expect(pageOf(answer).previous).to.be.a('string')
    })
  })
}
