import type { Observation } from '@snippets/adapters-http/middleware/observe.js'
import { expect } from 'chai'
import { openConnection } from '../support/http/raw-http.js'
import { header } from '../support/http/representations.js'
import { bodiless, get, observer, post } from '../support/http/wire.js'
import { closedGate } from '../support/service/gate.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const trace = '0af7651916cd43dd8448eb211c80319c'
const named = ['X-Request-Id: mine', `traceparent: 00-${trace}-b7ad6b7169203331-01`] as const

/** Refused before a route, by middleware or by the server itself. */
const refused: readonly (readonly [string, string, Partial<Observation>])[] = [
  [
    'an unknown expectation',
    bodiless('PUT', '/x', ...named, 'Expect: miracles'),
    { method: 'PUT', route: 'none', status: 417, requestId: 'mine', traceId: trace },
  ],
  [
    'an unknown coding',
    bodiless('PUT', '/x', ...named, 'Transfer-Encoding: gzip, chunked'),
    { method: 'PUT', route: 'none', status: 400, requestId: 'mine', traceId: trace },
  ],
  [
    'another version',
    get('/x', ...named).replace('HTTP/1.1', 'HTTP/2.0'),
    { method: 'GET', route: 'none', status: 400, requestId: 'mine', traceId: trace },
  ],
  ['too large a head', get('/x', `X: ${'x'.repeat(20_000)}`), { method: 'none', route: 'refused', status: 431 }],
  ['no HTTP', 'hello\r\n\r\n', { method: 'none', route: 'refused', status: 400 }],
  ['CONNECT', bodiless('CONNECT', 'a:80'), { method: 'none', route: 'refused', status: 400 }],
]

describe('A request', () => {
  const start = servicePerTest()

  for (const [what, bytes, expected] of refused)
    it(`is observed under the id of its answer when it is refused for ${what}`, async () => {
      const { observe, seen, first } = observer()
      const { url } = await start({ observe })
      const connection = await openConnection(url)
      connection.send(bytes)
      const answer = await connection.answer('GET')
      expect(answer.status).to.equal(expected.status)
      await connection.ended()
      await first(1)
      expect(seen).to.have.length(1)
      expect(seen[0]).to.include({ ...expected, token: undefined, clientLeft: false })
      expect(seen[0]?.requestId).to.equal(header(answer, 'X-Request-Id'))
      expect(seen[0]?.bytes).to.be.greaterThan(answer.text.length)
    })

  it('is observed as one whose client left when that was while the storage was at work', async () => {
    const gate = closedGate()
    const { observe, seen, first } = observer()
    const { url } = await start({
      observe,
      store: memory => ({ ...memory, create: draft => () => gate.pass().then(memory.create(draft)) }),
    })
    const arrived = gate.arrival()
    const connection = await openConnection(url)
    connection.send(post('/api/snippets/'))
    await arrived
    // one that only ended its side might still read its answer
    connection.reset()
    await first(1)
    gate.open()
    expect(seen).to.have.length(1)
    expect(seen[0]).to.include({ clientLeft: true, status: undefined, bytes: 0 })
  })
})
