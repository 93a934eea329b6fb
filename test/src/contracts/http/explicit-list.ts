import { expect } from 'chai'
import { header, pageOf, problemOf, snippetsOf } from '../../support/http/representations.js'
import { explicit, generated, type Workspace } from './workspace.js'

/** On a larger collection, reading the whole list would take too long for these tests. */
const maxRead = 100_000

/** The list of all snippets. */
export const explicitList = ({ client, create, marker }: Workspace): void => {
  describe(`GET ${explicit}`, () => {
    before(async function () {
      const { count } = pageOf(await client().get(generated))
      if (count > maxRead) this.skip()
    })

    it('lists every snippet once, by id, as GET of the snippet shows it', async () => {
      const language = marker()
      const created = [await create({ language }), await create({ language }), await create({ language })]
      const answer = await client().get(explicit)
      expect(answer.status).to.equal(200)
      expect(header(answer, 'Content-Type')).to.equal('application/json')
      expect(answer.text).to.match(/^\{"snippets":\[.*\]\}$/s)
      const snippets = snippetsOf(answer)
      expect(snippets.filter(snippet => snippet.language === language)).to.deep.equal(created)
      const ids = snippets.map(({ id }) => BigInt(id))
      expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))).to.equal(true)
      const last = created.at(-1)
      const alone = await client().get(`${explicit}${last?.id}/`)
      expect(answer.text).to.include(alone.text)
    })

    it('reflects updates and deletes', async () => {
      const language = marker()
      const [first, second] = [await create({ language }), await create({ language })]
      await client().put(`${explicit}${first.id}/`, { title: 'changed', code: 'c', language })
      await client().delete(`${explicit}${second.id}/`)
      const own = snippetsOf(await client().get(explicit)).filter(snippet => snippet.language === language)
      expect(own).to.deep.equal([{ ...first, title: 'changed', code: 'c' }])
    })

    it('accepts an empty query string', async () => {
      expect((await client().get(`${explicit}?`)).status).to.equal(200)
    })
  })

  describe(`GET ${explicit} with parameters`, () => {
    for (const query of ['page=1', 'language=x', 'ordering=title', 'x', '=', 'a=1&a=2'])
      it(`answers 400 to ?${query}`, async () => {
        const answer = await client().get(`${explicit}?${query}`)
        expect(answer.status).to.equal(400)
        expect(problemOf(answer).errors?.[0]?.parameter).to.equal(query.split('=')[0])
      })
  })
}
