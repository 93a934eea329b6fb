import { expect } from 'chai'
import { header, problemOf } from '../../support/http/representations.js'
import { errorsOf, explicit, generated, type Sandbox } from './sandbox.js'

/** Tests error responses (RFC 9457). */
export const problems = ({ client, deletedSnippet, create }: Sandbox): void => {
  describe('A problem', () => {
    // the client compares every problem with its schema in the OpenAPI document
    it('has a type for each cause', async () => {
      const responses = {
        'unknown-path': await client().get('/nowhere/'),
        'not-found': await client().get(await deletedSnippet(generated)),
        'method-not-allowed': await client().delete(explicit),
        'unsupported-media-type': await client().post(explicit, '{}', { 'Content-Type': 'text/plain' }),
        'malformed-body': await client().post(explicit, '{'),
        'invalid-body': await client().post(explicit, {}),
        'invalid-query': await client().get(`${generated}?x=1`),
        'precondition-failed': await client().get(`${generated}${(await create()).id}/`, { 'If-Match': '"x"' }),
        'body-too-large': await client().post(explicit, ' '.repeat(262_145)),
      }
      for (const [name, response] of Object.entries(responses)) {
        expect(header(response, 'Content-Type')).to.equal('application/problem+json')
        const { type, status, errors } = problemOf(response)
        expect(type).to.equal(`urn:snippets:${name}`)
        expect(status).to.equal(response.status)
        expect(errors !== undefined).to.equal(status === 400)
      }
    })

    it('explains ids when the path has a malformed id', async () => {
      const { type, detail } = problemOf(await client().get(`${explicit}01/`))
      expect(type).to.equal('urn:snippets:not-found')
      expect(detail).to.contain('a whole number from 1 to 9223372036854775807')
    })

    it('names the known paths at an unknown path', async () => {
      const response = await client().get('/')
      const { detail } = problemOf(response)
      for (const known of [explicit, generated, '/api/users/', '/api/schema/']) expect(detail).to.contain(known)
    })

    it('names the generated list when the explicit list gets a parameter', async () => {
      const message = `langage is not a parameter: this list takes no parameters; ${generated} takes language`
      const errors = errorsOf(await client().get(`${explicit}?langage=x`))
      expect(errors).to.deep.equal([{ parameter: 'langage', code: 'unknown', message }])
    })
  })
}
