import { expect } from 'chai'
import { header, problemOf } from '../../support/http/representations.js'
import { listParameters } from './queries.js'
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
        expect([type, status]).to.deep.equal([`urn:snippets:${name}`, response.status])
        expect(errors !== undefined).to.equal(status === 400)
      }
    })

    it('asks for a JSON object when the body is empty', async () => {
      expect(problemOf(await client().post(explicit, '')).detail).to.equal('The body is empty; send a JSON object')
    })

    for (const [target, name, details] of [
      [`${explicit}01/`, 'not-found', ['a whole number from 1 to 9223372036854775807']],
      ['/', 'unknown-path', [explicit, generated, '/api/users/', '/api/schema/']],
    ] as const)
      it(`for ${target} says ${details.join(', ')}`, async () => {
        const { type, detail } = problemOf(await client().get(target))
        expect(type).to.equal(`urn:snippets:${name}`)
        for (const text of details) expect(detail).to.contain(text)
      })

    it('names the generated list when the explicit list gets a parameter', async () => {
      const known = `this list takes no parameters; ${generated} takes ${listParameters.join(', ')}`
      const message = `langage is not a parameter: ${known}`
      const errors = errorsOf(await client().get(`${explicit}?langage=x`))
      expect(errors).to.deep.equal([{ parameter: 'langage', code: 'unknown', message }])
    })
  })
}
