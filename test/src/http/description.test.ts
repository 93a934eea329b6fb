import { expect } from 'chai'
import type { ApiDescription } from '../support/http/api-description.js'
import { type Client, httpClient } from '../support/http/http-client.js'
import type { Answer } from '../support/http/raw-http.js'
import { type Service, startService } from '../support/service/in-process.js'

/** Every answer in these tests is held against the description; here the holding itself is tried on answers that are wrong. */
describe('the served description', () => {
  let service: Service
  let client: Client
  let api: ApiDescription
  before(async () => {
    service = await startService()
    client = httpClient(service.url)
    api = await client.description()
  })
  after(async () => {
    client.close()
    await service.stop()
  })

  const detail = '/api/snippets/1/'
  const snippet = '{"id":1,"title":"t","code":"c","language":"l","created_at":"2026-01-02T03:04:05.678Z"}'
  const problem = '{"type":"urn:snippets:not-found","title":"T","status":404,"detail":"D."}'
  const always = { 'x-request-id': 'x', 'x-content-type-options': 'nosniff' }
  const json = { ...always, 'content-type': 'application/json' }
  const tagged = { ...json, etag: '"1"', 'cache-control': 'no-cache' }
  const trouble = { ...always, 'content-type': 'application/problem+json' }
  const answer = (status: number, headers: Answer['headers'], text: string): Answer => ({
    status,
    headers,
    text,
    body: Buffer.from(text),
    interim: [],
  })

  const right: readonly (readonly [string, string, Answer])[] = [
    ['GET', detail, answer(200, tagged, snippet)],
    ['HEAD', detail, answer(200, tagged, '')],
    ['GET', detail, answer(404, trouble, problem)],
    ['GET', '/nowhere/', answer(404, trouble, problem)],
    ['GET', '/api/snippets', answer(308, { ...always, location: '/api/snippets/' }, '')],
    ['OPTIONS', detail, answer(204, { ...always, allow: 'GET, HEAD, PUT, DELETE, OPTIONS' }, '')],
    ['GET', '/api/snippets/', answer(200, json, `{"snippets":[${snippet}]}`)],
  ]
  for (const [method, path, good] of right)
    it(`allows ${good.status} to ${method} ${path} as it should be`, () => {
      expect(api.faultOf(method, path, good)).to.equal(undefined)
    })

  const wrong: Readonly<Record<string, readonly [string, string, Answer]>> = {
    'a status that is not documented': ['GET', detail, answer(202, tagged, snippet)],
    'another type': ['GET', detail, answer(200, { ...tagged, 'content-type': 'text/plain' }, snippet)],
    'no type': ['GET', detail, answer(200, { ...always, etag: '"1"', 'cache-control': 'no-cache' }, snippet)],
    'no ETag': ['GET', detail, answer(200, json, snippet)],
    'no ETag to HEAD': ['HEAD', detail, answer(200, json, '')],
    'a Cache-Control of another kind': ['GET', detail, answer(200, { ...tagged, 'cache-control': 'public' }, snippet)],
    'a field too many': ['GET', detail, answer(200, tagged, snippet.replace('}', ',"x":1}'))],
    'a field too few': ['GET', detail, answer(200, tagged, snippet.replace('"code":"c",', ''))],
    'an id that is a text': ['GET', detail, answer(200, tagged, snippet.replace('1,', '"1",'))],
    'a time without a time zone': ['GET', detail, answer(200, tagged, snippet.replace('Z', ''))],
    'a title too long': ['GET', detail, answer(200, tagged, snippet.replace('"t"', `"${'😀'.repeat(101)}"`))],
    'a malformed snippet within a list': ['GET', '/api/snippets/', answer(200, json, '{"snippets":[{"id":1}]}')],
    'a problem of no type': ['GET', detail, answer(404, trouble, problem.replace('urn:snippets:', ''))],
    'a problem as JSON': ['GET', detail, answer(404, json, problem)],
    'a problem at an unknown path as JSON': ['GET', '/nowhere/', answer(404, json, problem)],
    'success at an unknown path': ['GET', '/nowhere/', answer(200, json, '{}')],
    'a 405 that allows too much': [
      'PATCH',
      detail,
      answer(405, { ...trouble, allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' }, problem),
    ],
    'OPTIONS that allow too little': ['OPTIONS', detail, answer(204, { ...always, allow: 'GET, HEAD, OPTIONS' }, '')],
    'a redirect to nowhere': ['GET', '/nowhere', answer(308, { ...always, location: '/nowhere/' }, '')],
    'a body where there is none': ['DELETE', detail, answer(204, always, 'x')],
    'a Location that is not documented': ['GET', detail, answer(200, { ...tagged, location: '/' }, snippet)],
    'no Retry-After': ['GET', detail, answer(503, trouble, problem.replace('404', '503'))],
  }
  for (const [what, [method, path, bad]] of Object.entries(wrong))
    it(`does not allow ${what}`, () => {
      expect(api.faultOf(method, path, bad)).to.be.a('string')
    })

  it('is held against every answer that a client gets', async () => {
    const other = await startService()
    const stranger = httpClient(other.url)
    const connection = await stranger.connect()
    const config = { method: 'GET', target: '/api/snippets/config/' }
    const bytes = `GET ${config.target} HTTP/1.1\r\nHost: x\r\n\r\n`
    const told = await connection
      .askRaw(bytes, { ...config, target: '/api/users/' })
      .catch((error: Error) => error.message)
    expect(told).to.be.a('string').that.includes('against the contract')
    stranger.close()
    await other.stop()
  })
})
