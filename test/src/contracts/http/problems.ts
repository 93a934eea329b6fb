import { expect } from 'chai'
import { header, problemOf } from '../../support/http/representations.js'
import { explicit, generated, type Workspace } from './workspace.js'

/** Error responses (RFC 9457). */
export const problems = ({ client, deletedSnippet, create }: Workspace): void => {
  describe('A problem', () => {
    const refusals = {
      'an unknown path': async () => client().get('/nowhere/'),
      'an unknown snippet': async () => client().get(await deletedSnippet(generated)),
      'a method that is not allowed': async () => client().delete(explicit),
      'a body of the wrong Content-Type': async () => client().post(explicit, '{}', { 'Content-Type': 'text/plain' }),
      'a body that is not JSON': async () => client().post(explicit, '{'),
      'a body with invalid fields': async () => client().post(explicit, {}),
      'an unknown parameter': async () => client().get(`${generated}?x=1`),
      'a failed precondition': async () =>
        client().delete(`${generated}${(await create()).id}/`, { 'If-Match': '"x"' }),
      'a body that is too large': async () => client().post(explicit, ' '.repeat(262_145)),
    }
    for (const [what, refuse] of Object.entries(refusals))
      it(`has type, title, status and detail for ${what}`, async () => {
        const answer = await refuse()
        expect(header(answer, 'Content-Type')).to.equal('application/problem+json')
        const problem = problemOf(answer)
        expect(Object.keys(problem).slice(0, 4)).to.deep.equal(['type', 'title', 'status', 'detail'])
        expect(problem.type).to.match(/^urn:snippets:[a-z-]+$/)
        expect(problem.status).to.equal(answer.status)
        expect(problem.title).to.match(/^[A-Z]/)
        expect(problem.detail).not.to.equal('')
        expect(problem.errors !== undefined).to.equal(answer.status === 400)
      })

    it('never echoes a long value', async () => {
      const long = 'Q'.repeat(5000)
      const answers = [
        await client().get(`/api/${long}/`),
        await client().get(`${explicit}${long}/`),
        await client().get(`${generated}?${long}=1`),
        await client().get(`${generated}?ordering=${long}`),
        await client().get(`${generated}?page=${long}`),
        await client().get(`${generated}?%zz${long}`),
        await client().post(explicit, { title: long, language: long, [long]: long }),
        await client().post(explicit, `{${long}`),
        await client().post(explicit, '{}', { 'Content-Type': `text/${long}` }),
        await client().post(explicit, '{}', { 'Content-Encoding': long }),
        await client().delete(await deletedSnippet(explicit), { 'If-Match': `"${long}"` }),
      ]
      for (const { status, text } of answers) {
        expect(status).to.be.within(400, 499)
        expect(text).not.to.match(/Q{100}/)
      }
    })
  })
}
