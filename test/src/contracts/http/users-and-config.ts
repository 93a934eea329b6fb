import { expect } from 'chai'
import { header, userPageOf } from '../../support/http/representations.js'
import { targetOf } from './paging.js'
import { errorsOf, type Sandbox } from './sandbox.js'

const users = '/api/users/'

const configText = JSON.stringify({
  page_size: 10,
  max_page_size: 100,
  limits: {
    title: { min: 1, max: 100 },
    code: { min: 1, max: 10_000 },
    language: { min: 1, max: 50 },
  },
  filter_fields: ['language', 'title'],
  search_fields: ['title', 'code'],
  max_search_length: 200,
  max_search_terms: 8,
  ordering_fields: ['created_at', 'title'],
})

/** Tests the users and /api/snippets/config/. The client compares every response with the OpenAPI document. */
export const usersAndConfig = ({ client }: Sandbox): void => {
  // these tests also pass on a service without users
  describe(users, () => {
    it('lists users by id, each once across pages, and retrieves each as in the list', async () => {
      const response = await client().get(users)
      expect(response.text).to.match(/^\{"count":[0-9]+,"next":.*,"previous":null,"results":\[.*\]\}$/s)
      const { count, results } = userPageOf(response)
      expect(results).to.have.length(Math.min(count, 10))
      const ids = results.map(({ id }) => BigInt(id))
      expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))).to.equal(true)
      let target: string | null = `${users}?page_size=1`
      for (const user of results) {
        const page = userPageOf(await client().get(target ?? ''))
        expect([page.count, page.results]).to.deep.equal([count, [user]])
        target = page.next && targetOf(page.next)
        const alone = await client().get(`${users}${user.id}/`)
        expect(alone.text).to.equal(`{"id":${user.id},"username":${JSON.stringify(user.username)}}`)
        const known = { 'If-None-Match': header(alone, 'ETag') }
        expect((await client().get(`${users}${user.id}/`, known)).status).to.equal(304)
      }
      if (results.length === count) expect(target).to.equal(count === 0 ? `${users}?page_size=1` : null)
    })

    it('returns 400 for a parameter of snippets, and for an invalid page', async () => {
      for (const parameter of ['language', 'ordering', 'page']) {
        const errors = errorsOf(await client().get(`${users}?${parameter}=x`))
        expect(errors.map(error => error.parameter)).to.deep.equal([parameter])
      }
    })
  })

  it('/api/snippets/config/ shows page sizes, limits, and the filter, search and ordering fields', async () => {
    const response = await client().get('/api/snippets/config/')
    expect([response.status, response.text]).to.deep.equal([200, configText])
  })
}
