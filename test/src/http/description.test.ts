import { expect } from 'chai'
import type { ApiDescription } from '../support/http/api-description.js'
import type { Answer } from '../support/http/raw-http.js'
import { servicePerTest, sharedService } from '../support/service/mocha-service.js'

/** The test client checks every response against the service's OpenAPI document. This checks the check. */
describe("The test client's check against the OpenAPI document", () => {
  const service = sharedService()
  const start = servicePerTest()
  let api: ApiDescription
  before(async () => {
    api = await service.client.description()
  })

  const detail = '/api/snippets/1/'
  const snippet = '{"id":1,"title":"t","code":"c","language":"l","created_at":"2026-01-02T03:04:05.678Z"}'
  const problem = '{"type":"urn:snippets:not-found","title":"T","status":404,"detail":"D."}'
  const always = { 'x-request-id': 'x', 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache' }
  const json = { ...always, 'content-type': 'application/json' }
  const tagged = { ...json, etag: '"1"' }
  const linked = { ...json, link: '</api/schema/>; rel="service-desc"' }
  const redirect = { ...always, location: '/api/snippets/', 'content-type': 'text/plain; charset=utf-8' }
  const problemHeaders = { ...always, 'content-type': 'application/problem+json' }
  const answer = (status: number, headers: Answer['headers'], text: string): Answer => ({
    status,
    headers,
    text,
    body: Buffer.from(text),
    interim: [],
  })

  const conforming: readonly (readonly [string, string, Answer])[] = [
    ['GET', detail, answer(200, tagged, snippet)],
    ['HEAD', detail, answer(200, tagged, '')],
    ['GET', detail, answer(404, problemHeaders, problem)],
    ['GET', '/nowhere/', answer(404, problemHeaders, problem)],
    ['GET', '/api/snippets', answer(308, redirect, 'Use /api/snippets/')],
    ['OPTIONS', detail, answer(204, { ...always, allow: 'GET, HEAD, PUT, DELETE, OPTIONS' }, '')],
    ['GET', '/api/snippets/', answer(200, linked, `{"snippets":[${snippet}]}`)],
  ]
  for (const [method, path, good] of conforming)
    it(`accepts a conforming ${good.status} to ${method} ${path}`, () => {
      expect(api.faultOf(method, path, good)).to.equal(undefined)
    })

  const nonconforming: Readonly<Record<string, readonly [string, string, Answer]>> = {
    'an undocumented status': ['GET', detail, answer(202, tagged, snippet)],
    'another Content-Type': ['GET', detail, answer(200, { ...tagged, 'content-type': 'text/plain' }, snippet)],
    'a missing Content-Type': ['GET', detail, answer(200, { ...always, etag: '"1"' }, snippet)],
    'a missing ETag': ['GET', detail, answer(200, json, snippet)],
    'a missing ETag on HEAD': ['HEAD', detail, answer(200, json, '')],
    'another Cache-Control': ['GET', detail, answer(200, { ...tagged, 'cache-control': 'public' }, snippet)],
    'an extra field': ['GET', detail, answer(200, tagged, snippet.replace('}', ',"x":1}'))],
    'a missing field': ['GET', detail, answer(200, tagged, snippet.replace('"code":"c",', ''))],
    'a string id': ['GET', detail, answer(200, tagged, snippet.replace('1,', '"1",'))],
    'a time without a time zone': ['GET', detail, answer(200, tagged, snippet.replace('Z', ''))],
    'a title that is too long': ['GET', detail, answer(200, tagged, snippet.replace('"t"', `"${'😀'.repeat(101)}"`))],
    'a malformed snippet in a list': ['GET', '/api/snippets/', answer(200, linked, '{"snippets":[{"id":1}]}')],
    'a problem type that is not a urn:snippets': [
      'GET',
      detail,
      answer(404, problemHeaders, problem.replace('urn:snippets:', '')),
    ],
    'a problem of type application/json': ['GET', detail, answer(404, json, problem)],
    'a problem of type application/json on an unknown path': ['GET', '/nowhere/', answer(404, json, problem)],
    'a 200 on an unknown path': ['GET', '/nowhere/', answer(200, json, '{}')],
    'a 405 whose Allow has too many methods': [
      'PATCH',
      detail,
      answer(405, { ...problemHeaders, allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' }, problem),
    ],
    'an OPTIONS response whose Allow has too few methods': [
      'OPTIONS',
      detail,
      answer(204, { ...always, allow: 'GET, HEAD, OPTIONS' }, ''),
    ],
    'a redirect to an unknown path': [
      'GET',
      '/nowhere',
      answer(308, { ...redirect, location: '/nowhere/' }, '/nowhere/'),
    ],
    'a redirect that does not say where to': ['GET', '/api/snippets', answer(308, redirect, '')],
    'a redirect of another type': [
      'GET',
      '/api/snippets',
      answer(308, { ...redirect, 'content-type': 'text/html' }, '/api/snippets/'),
    ],
    'a body on a 204': ['DELETE', detail, answer(204, always, 'x')],
    'a list without a Link': ['GET', '/api/snippets/', answer(200, json, `{"snippets":[${snippet}]}`)],
    'an undocumented Link': ['GET', detail, answer(200, { ...tagged, link: '</>' }, snippet)],
    'an undocumented Location': ['GET', detail, answer(200, { ...tagged, location: '/' }, snippet)],
    'a 503 without Retry-After': ['GET', detail, answer(503, problemHeaders, problem.replace('404', '503'))],
  }
  for (const [what, [method, path, bad]] of Object.entries(nonconforming))
    it(`rejects ${what}`, () => {
      expect(api.faultOf(method, path, bad)).to.be.a('string')
    })

  it('fails a request whose response does not conform', async () => {
    const { client } = await start()
    const connection = await client.connect()
    const config = { method: 'GET', target: '/api/snippets/config/' }
    const bytes = `GET ${config.target} HTTP/1.1\r\nHost: x\r\n\r\n`
    const failure = await connection
      .askRaw(bytes, { ...config, target: '/api/users/' })
      .catch((error: Error) => error.message)
    expect(failure).to.be.a('string').that.includes('violates the contract')
  })
})
