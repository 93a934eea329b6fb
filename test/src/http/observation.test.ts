import type { Observation } from '@snippets/adapters-http/middleware/observe.js'
import { expect } from 'chai'
import { openConnection } from '../support/http/raw-http.js'
import { header } from '../support/http/representations.js'
import { chunked, get, json, observer, requestHead } from '../support/http/wire.js'
import { sharedService } from '../support/service/mocha-service.js'

const observed = { requestId: 'mine', route: 'none' }
const unobserved = { method: 'none', route: 'rejected' }

const snippets = '/api/snippets/'

/** Requests that middleware or the server rejects. */
const rejectedRequests: readonly (readonly [string, string, Partial<Observation>])[] = [
  [
    'an unknown expectation',
    requestHead('PUT', '/x', 'X-Request-Id: mine', 'Expect: miracles'),
    { ...observed, method: 'PUT', status: 417, problem: 'urn:snippets:expectation-failed' },
  ],
  [
    'another version',
    get('/x', 'X-Request-Id: mine').replace('/1.1', '/2.0'),
    { ...observed, method: 'GET', status: 400, problem: 'urn:snippets:bad-request' },
  ],
  ['too large a head', get('/x', `X: ${'x'.repeat(20_000)}`), { ...unobserved, status: 431 }],
  ['CONNECT', requestHead('CONNECT', 'a:80'), { ...unobserved, status: 400 }],
  ['a malformed chunk', `${requestHead('POST', snippets, json, chunked)}z`, { route: snippets, status: 400 }],
]

describe('A request', () => {
  const { observe, seen, first } = observer()
  const service = sharedService({ observe })
  beforeEach(() => {
    seen.length = 0
  })

  for (const [what, bytes, expected] of rejectedRequests)
    it(`is observed with the X-Request-Id of its response when it is rejected for ${what}`, async () => {
      const connection = await openConnection(service.url)
      connection.send(bytes)
      const response = await connection.response('GET')
      expect(response.status).to.equal(expected.status)
      await connection.ended()
      const [observation, ...others] = await first(1)
      expect(others).to.deep.equal([])
      expect(observation).to.include({ ...expected, token: undefined, clientLeft: false })
      expect(observation?.requestId).to.equal(header(response, 'X-Request-Id'))
      expect(observation?.bytes).to.be.greaterThan(response.text.length)
    })
})
