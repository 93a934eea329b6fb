import type { SnippetStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { servicePerTest, sharedService } from '../../support/service/mocha-service.js'

const origin = 'https://a.example'

describe('A service that allows origins, and asks for tokens,', () => {
  const service = sharedService({ corsOrigins: [origin, 'http://b.example'], tokens: [] })
  const ask = (from: string, init: RequestInit = {}) =>
    fetch(`${service.url}/api/snippets/1/`, { ...init, headers: { ...init.headers, Origin: from } })
  const preflight = (from: string) =>
    ask(from, {
      method: 'OPTIONS',
      headers: {
        'Access-Control-Request-Method': 'PUT',
        'Access-Control-Request-Headers': 'authorization,if-match,idempotency-key',
      },
    })

  it('answers a preflight without a token', async () => {
    const { status, headers } = await preflight(origin)
    expect(status).to.equal(204)
    expect(headers.get('Access-Control-Allow-Origin')).to.equal(origin)
    expect(headers.get('Access-Control-Allow-Methods')?.split(',')).to.include.members(['PUT', 'PATCH', 'DELETE'])
    expect(headers.get('Access-Control-Allow-Headers')).to.equal('authorization,if-match,idempotency-key')
    expect(headers.get('Vary')).to.contain('Origin')
  })

  it('lets a browser remember the answer to a preflight', async () => {
    expect((await preflight(origin)).headers.get('Access-Control-Max-Age')).to.equal('600')
  })

  it('lets a page of the origin read a refusal, and the headers that clients need', async () => {
    const { status, headers } = await ask(origin)
    expect(status).to.equal(401)
    expect(headers.get('Access-Control-Allow-Origin')).to.equal(origin)
    expect(headers.get('Access-Control-Expose-Headers')?.split(',')).to.have.members([
      'Count-Precision',
      'ETag',
      'Idempotency-Replayed',
      'Link',
      'Location',
      'Retry-After',
      'X-Request-Id',
    ])
  })

  for (const other of ['https://c.example', 'http://a.example', `${origin}.evil.example`, 'null'])
    it(`allows nothing to ${other}`, async () => {
      for (const response of [await preflight(other), await ask(other)]) {
        expect(response.status).to.equal(401)
        expect(response.headers.get('Access-Control-Allow-Origin')).to.equal(null)
        expect(response.headers.get('Vary')).to.contain('Origin')
      }
    })
})

const broken = (memory: SnippetStore): SnippetStore => ({
  ...memory,
  all: () => {
    throw new Error('planted')
  },
})

describe('A service that allows one origin', () => {
  const start = servicePerTest()

  it('says of an internal error too that it depends on the origin', async () => {
    const { url } = await start({ corsOrigins: [origin], store: broken })
    for (const from of [origin, 'https://c.example']) {
      const { status, headers } = await fetch(`${url}/api/snippets/`, { headers: { Origin: from } })
      expect(status).to.equal(500)
      expect(headers.get('Vary')).to.contain('Origin')
    }
  })
})

describe('A service that allows every origin', () => {
  const start = servicePerTest()

  it('says so with a star, and allows no cookies', async () => {
    const { url } = await start({ corsOrigins: ['*'] })
    const { headers } = await fetch(`${url}/api/snippets/`, { headers: { Origin: origin } })
    expect(headers.get('Access-Control-Allow-Origin')).to.equal('*')
    expect(headers.get('Access-Control-Allow-Credentials')).to.equal(null)
  })

  it('lets a page read an internal error too', async () => {
    const { url } = await start({ corsOrigins: ['*'], store: broken })
    const { status, headers } = await fetch(`${url}/api/snippets/`, { headers: { Origin: origin } })
    expect(status).to.equal(500)
    expect(headers.get('Access-Control-Allow-Origin')).to.equal('*')
  })
})
