import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
import { expect } from 'chai'
import { closes } from '../../support/http/http-client.js'
import { problemOf } from '../../support/http/representations.js'
import { get, observer, post } from '../../support/http/wire.js'
import { servicePerTest } from '../../support/service/mocha-service.js'

describe('The default limits', () => {
  it('leave time for a 408 before a connection without traffic is cut off', () => {
    const checkMs = 1000
    expect(defaultLimits.stallMs).to.be.greaterThan(defaultLimits.requestMs + checkMs)
  })
})

describe('A service with a short request timeout', () => {
  const start = servicePerTest()
  for (const [what, bytes, route] of [
    ['a request whose head stays unfinished', get('/api/users/').slice(0, -2), 'rejected'],
    ['a request whose body stalls', post('/api/snippets/').slice(0, -1), '/api/snippets/'],
    ['a connection that never sends anything', '', 'rejected'],
  ] as const)
    it(`returns 408 once for ${what}, and closes the connection`, async () => {
      const { observe, seen } = observer()
      const { client } = await start({ observe, limits: { requestMs: 100 } })
      const connection = await client.connect()
      seen.length = 0
      const response = await connection.requestRaw(bytes, { method: '', target: '' })
      expect(response.status).to.equal(408)
      expect(problemOf(response).type).to.equal('urn:snippets:request-timeout')
      expect(closes(response)).to.equal(true)
      expect(await connection.ended()).to.equal('closed')
      expect(seen.map(({ route, status, problem }) => [route, status, problem])).to.deep.equal([
        [route, 408, 'urn:snippets:request-timeout'],
      ])
    })
})
