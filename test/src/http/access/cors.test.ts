import { expect } from 'chai'
import { sharedService } from '../../support/service/mocha-service.js'

const origin = 'https://a.example'
const requested = 'authorization,if-match,idempotency-key'

const fetchFrom = (url: string, from: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { ...init.headers, Origin: from } })

describe('A service with allowed origins and tokens', () => {
  const service = sharedService({ corsOrigins: [origin, 'http://b.example'], tokens: [] })
  const ask = (from: string) => fetchFrom(`${service.url}/api/snippets/1/`, from)
  const preflight = (from: string) =>
    fetchFrom(`${service.url}/api/snippets/1/`, from, {
      method: 'OPTIONS',
      headers: { 'Access-Control-Request-Method': 'PUT', 'Access-Control-Request-Headers': requested },
    })

  it('answers a preflight without a token, and allows browsers to cache the response', async () => {
    const { status, headers } = await preflight(origin)
    expect(status).to.equal(204)
    expect(headers.get('Access-Control-Allow-Origin')).to.equal(origin)
    expect(headers.get('Access-Control-Allow-Methods')?.split(',')).to.include.members(['PUT', 'PATCH', 'DELETE'])
    expect(headers.get('Access-Control-Allow-Headers')).to.equal(requested)
    expect(headers.get('Vary')).to.contain('Origin')
    expect(headers.get('Access-Control-Max-Age')).to.equal('600')
  })

  for (const other of ['http://a.example', `${origin}.evil.example`, 'null'])
    it(`rejects the origin ${other}`, async () => {
      for (const response of [await preflight(other), await ask(other)]) {
        expect(response.status).to.equal(401)
        expect(response.headers.get('Access-Control-Allow-Origin')).to.equal(null)
        expect(response.headers.get('Vary')).to.contain('Origin')
      }
    })
})

describe('A service that allows every origin', () => {
  const service = sharedService({
    corsOrigins: ['*'],
    store: memory => ({ ...memory, all: () => expect.fail('planted') }),
  })

  it('sends Access-Control-Allow-Origin: *, even for an internal error, and allows no cookies', async () => {
    for (const [path, status] of Object.entries({ '/api/users/': 200, '/api/snippets/': 500 })) {
      const response = await fetchFrom(service.url + path, origin)
      expect(response.status).to.equal(status)
      expect(response.headers.get('Access-Control-Allow-Origin')).to.equal('*')
      expect(response.headers.get('Access-Control-Allow-Credentials')).to.equal(null)
    }
  })
})
