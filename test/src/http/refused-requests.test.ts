import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { corsHeaders, preflightHeaders } from '@snippets/adapters-http/doors/cors.js'
import type { Observation } from '@snippets/adapters-http/koa/observation.js'
import { listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { openConnection } from '../support/http/raw-http.js'
import { header } from '../support/http/representations.js'
import { closedGate } from '../support/service/gate.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const origin = 'https://a.example'
const trace = '0af7651916cd43dd8448eb211c80319c'
const named = `Host: a\r\nX-Request-Id: mine\r\ntraceparent: 00-${trace}-b7ad6b7169203331-01\r\nOrigin: ${origin}\r\n`

const requestStart = 'http.server.request.start'

/** The connections whose requests have arrived at a server of this process. */
const arrivals = () => {
  const sockets: Socket[] = []
  const note = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket)
  subscribe(requestStart, note)
  return { sockets, end: () => unsubscribe(requestStart, note) }
}

/** Before the application could see them. */
const refused: readonly (readonly [string, string, Partial<Observation>])[] = [
  ['an unknown expectation', `PUT /x HTTP/1.1\r\n${named}Expect: miracles\r\n\r\n`, { method: 'PUT', status: 417 }],
  [
    'an unknown coding',
    `PUT /x HTTP/1.1\r\n${named}Transfer-Encoding: gzip, chunked\r\n\r\n`,
    { method: 'PUT', status: 400 },
  ],
  ['another version', `GET /x HTTP/2.0\r\n${named}\r\n`, { method: 'GET', status: 400 }],
  ['too large a head', `GET /x HTTP/1.1\r\n${named}X: ${'x'.repeat(20_000)}\r\n\r\n`, { method: 'none', status: 431 }],
  ['no HTTP', 'hello\r\n\r\n', { method: 'none', status: 400 }],
  ['CONNECT', `CONNECT a:80 HTTP/1.1\r\n${named}\r\n`, { method: 'none', status: 400 }],
]

describe('A request that the server refuses', () => {
  const start = servicePerTest()

  for (const [what, bytes, expected] of refused)
    it(`is observed: ${what}`, async () => {
      const seen: Observation[] = []
      const { url } = await start({ observe: observation => void seen.push(observation) })
      const connection = await openConnection(url)
      connection.send(bytes)
      const answer = await connection.answer('GET')
      expect(answer.status).to.equal(expected.status)
      const isNamed = expected.method !== 'none'
      expect(seen).to.have.length(1)
      expect(seen[0]).to.include({ ...expected, route: 'refused', token: undefined, clientLeft: false })
      expect(seen[0]?.requestId).to.equal(header(answer, 'X-Request-Id'))
      if (isNamed) expect(seen[0]).to.include({ requestId: 'mine', traceId: trace })
      expect(seen[0]?.bytes).to.be.greaterThan(answer.text.length)
      connection.destroy()
    })

  const withoutId = {
    'before a route sees it': 'PUT /x HTTP/1.1\r\nHost: a\r\nExpect: miracles\r\n\r\n',
    'while a route waits for its body':
      'POST /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
  }
  for (const [when, bytes] of Object.entries(withoutId))
    it(`is observed under the id of its answer: refused ${when}`, async () => {
      const seen: Observation[] = []
      const { url } = await start({ observe: observation => void seen.push(observation) })
      const connection = await openConnection(url)
      connection.send(bytes)
      const id = header(await connection.answer('PUT'), 'X-Request-Id')
      while (seen.length === 0) await wait(5)
      expect(seen.map(({ requestId }) => requestId)).to.deep.equal([id])
      connection.destroy()
    })

  it('is observed once when a route was already waiting for its body', async () => {
    const seen: Observation[] = []
    const { url } = await start({ observe: observation => void seen.push(observation), limits: { requestMs: 100 } })
    const connection = await openConnection(url)
    connection.send(
      'POST /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
    )
    expect((await connection.answer('POST')).status).to.equal(408)
    await connection.ended()
    expect(seen.map(({ route, status }) => `${route} ${status}`)).to.deep.equal(['/api/snippets/ 408'])
    connection.destroy()
  })

  it('is observed when it is shed, or its client leaves while it waits', async () => {
    const seen: Observation[] = []
    const gate = closedGate()
    const { sockets, end } = arrivals()
    const { url, load } = await start({
      observe: observation => void seen.push(observation),
      limits: { requests: 1, waiting: 1 },
      store: memory => ({ ...memory, get: id => () => gate.pass().then(memory.get(id)) }),
    })
    const arrived = gate.arrival()
    const get = 'GET /api/snippets/1/ HTTP/1.1\r\nHost: a\r\n\r\n'
    const [first, third] = [await openConnection(url), await openConnection(url)]
    first.send(get)
    await arrived
    const second = connect(Number(new URL(url).port), '127.0.0.1')
    second.write(get)
    while (load().waiting === 0) await wait(5)
    end()
    const left = new Promise(resolve => sockets[1]?.once('close', resolve))
    third.send(get)
    expect((await third.answer('GET')).status).to.equal(503)
    expect(seen.map(({ route, status }) => `${route} ${status}`)).to.deep.equal(['refused 503'])
    second.resetAndDestroy()
    await left
    gate.open()
    await first.answer('GET')
    while (seen.length < 3) await wait(5)
    expect(seen.map(({ route, status, clientLeft }) => `${route} ${status} ${clientLeft}`)).to.have.members([
      'refused 503 false',
      '/api/snippets/:id/ 404 false',
      'refused undefined true',
    ])
    third.destroy()
    first.destroy()
  })

  it('lets a page of an allowed origin read the answer', async () => {
    for (const [allowed, expected] of [
      [[origin], origin],
      [['*'], '*'],
      [['https://b.example'], undefined],
    ] as const) {
      const server = await listen(() => {}, { host: '127.0.0.1', port: 0 }, {}, { headersFor: corsHeaders(allowed) })
      const connection = await openConnection(server.url)
      connection.send(`GET / HTTP/1.1\r\n${named}Expect: miracles\r\n\r\n`)
      const answer = await connection.answer('GET')
      expect(answer.headers['access-control-allow-origin']).to.equal(expected)
      expect(header(answer, 'Vary')).to.equal('Origin')
      connection.destroy()
      await server.stop(0)
    }
  })

  const shedding = async (allowed: readonly string[], head: string) => {
    const options = { headersFor: corsHeaders(allowed), preflightHeaders: preflightHeaders(allowed) }
    const server = await listen(() => {}, { host: '127.0.0.1', port: 0 }, { requests: 0, waiting: 0 }, options)
    const connection = await openConnection(server.url)
    connection.send(`${head}\r\n\r\n`)
    const answer = await connection.answer('OPTIONS')
    connection.destroy()
    await server.stop(0)
    return answer
  }
  const preflight = `OPTIONS / HTTP/1.1\r\nHost: a\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: PUT`

  it('is allowed a preflight where it would be shed', async () => {
    const answer = await shedding([origin], `${preflight}\r\nAccess-Control-Request-Headers: if-match`)
    expect(answer.status).to.equal(204)
    expect(header(answer, 'Access-Control-Allow-Origin')).to.equal(origin)
    expect(header(answer, 'Access-Control-Allow-Methods').split(',')).to.include.members(['PUT', 'PATCH', 'DELETE'])
    expect(header(answer, 'Access-Control-Allow-Headers')).to.equal('if-match')
    expect(header(answer, 'Access-Control-Max-Age')).to.equal('600')
    expect(header(answer, 'Vary')).to.equal('Origin')
    expect(header(answer, 'X-Request-Id')).to.match(/./)
  })

  for (const [what, allowed, head] of [
    ['a preflight of another origin', ['https://b.example'], preflight],
    ['OPTIONS that is no preflight', [origin], preflight.replace(/\r\nAccess.*/, '')],
    ['a preflight in another method', [origin], preflight.replace('OPTIONS', 'GET')],
  ] as const)
    it(`is shed: ${what}`, async () => {
      expect((await shedding(allowed, head)).status).to.equal(503)
    })
})
