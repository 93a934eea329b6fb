import { expect } from 'chai'
import type { Client } from '../../support/http/http-client.js'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { problemOf } from '../../support/http/representations.js'
import { explicit, generated, type Sandbox } from './sandbox.js'

const rejected: Readonly<Record<string, readonly [(client: Client) => Promise<HttpResponse>, readonly string[]]>> = {
  'unknown-path': [client => client.get('/'), [explicit, generated, '/api/users/', '/api/schema/']],
  'not-found': [client => client.get(`${explicit}01/`), ['a whole number from 1 to 9223372036854775807']],
  'method-not-allowed': [client => client.delete(explicit), ['GET, HEAD, POST, OPTIONS']],
  'malformed-body': [client => client.post(explicit, ''), ['The body is empty; send a JSON object']],
  'invalid-body': [client => client.post(explicit, { title: '' }), ['title must be between', 'code is required']],
}

/** Tests error responses (RFC 9457). The client compares every problem with the OpenAPI document. */
export const problems = ({ client }: Sandbox): void => {
  for (const [name, [ask, details]] of Object.entries(rejected))
    it(`The problem ${name} says ${details.join(', ')}`, async () => {
      const { type, detail } = problemOf(await ask(client()))
      expect(type).to.equal(`urn:snippets:${name}`)
      for (const text of details) expect(detail).to.contain(text)
    })
}
