import { expect } from 'chai'
import { pageOf, problemOf, userOf, userPageOf } from '../../support/http/representations.js'
import { targetOf } from './paging.js'
import type { Workspace } from './workspace.js'

const path = '/api/users/'

/** The read-only collection. On a service without users, these tests check less. */
export const users = ({ client }: Workspace): void => {
  describe(path, () => {
    it('lists users by id in the paged envelope', async () => {
      const answer = await client().get(path)
      expect(answer.status).to.equal(200)
      expect(answer.text).to.match(/^\{"count":[0-9]+,"next":.*,"previous":null,"results":\[.*\]\}$/s)
      const { count, results } = userPageOf(answer)
      expect(results).to.have.length(Math.min(count, 10))
      const ids = results.map(({ id }) => BigInt(id))
      expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))).to.equal(true)
    })

    it('shows each user once across pages', async () => {
      const first = userPageOf(await client().get(path))
      const seen: string[] = []
      for (let at: string | null = `${path}?page_size=1`; at !== null && seen.length < first.results.length; ) {
        const page = userPageOf(await client().get(at))
        expect(page.count).to.equal(first.count)
        seen.push(...page.results.map(({ id }) => id))
        at = page.next && targetOf(page.next)
      }
      expect(seen).to.deep.equal(first.results.map(({ id }) => id))
    })

    it('shows each user alone as in the list', async () => {
      for (const user of userPageOf(await client().get(path)).results) {
        const answer = await client().get(`${path}${user.id}/`)
        expect(answer.status).to.equal(200)
        expect(Object.keys(userOf(answer))).to.deep.equal(['id', 'username'])
        expect(userOf(answer)).to.deep.equal(user)
      }
    })

    it('answers an empty page past the end', async () => {
      const { results, next } = pageOf(await client().get(`${path}?page=1000000`))
      expect({ results, next }).to.deep.equal({ results: [], next: null })
    })

    for (const query of [
      'language=x',
      'title=x',
      'ordering=title',
      'username=x',
      'page=0',
      'page_size=abc',
      'page=1&page=1',
    ])
      it(`answers 400 to ?${query}`, async () => {
        const answer = await client().get(`${path}?${query}`)
        expect(answer.status).to.equal(400)
        expect(problemOf(answer).errors?.map(error => error.parameter)).to.deep.equal([query.split('=')[0]])
      })

    for (const id of ['9223372036854775807', '9223372036854775808', '0', '-1', '01', 'ada', '%zz'])
      it(`answers 404 to the id ${id}`, async () => {
        expect((await client().get(`${path}${id}/`)).status).to.equal(404)
      })

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      it(`answers 405 to ${method}`, async () => {
        for (const target of [path, `${path}1/`]) {
          const headers = { 'Content-Type': 'application/json' }
          const answer = await client().ask({ method, target, headers, body: '{"username":"eve"}' })
          expect(answer.status).to.equal(405)
        }
      })
  })
}
