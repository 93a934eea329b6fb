import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect } from 'chai'
import { countTurns } from '../../support/event-loop-turns.js'
import { eventually } from '../../support/eventually.js'
import { type CheckedConnection, closes } from '../../support/http/http-client.js'
import { openConnection } from '../../support/http/raw-http.js'
import { problemOf, snippetsOf } from '../../support/http/representations.js'
import { chunk, chunked, get, json, observer, post, requestHead } from '../../support/http/wire.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import { serveOnFreePort } from '../../support/service/in-process.js'
import { sharedService } from '../../support/service/mocha-service.js'

const page = '/api/snippets-viewset/'
const snippets = '/api/snippets/'
const users = '/api/users/'
const chunkedHead = requestHead('POST', snippets, json, chunked)

describe('On a connection with pipelined requests, the service', () => {
  const gate = closedGate()
  const { observe, seen, first } = observer()
  const service = sharedService({ observe, store: gatedPages(gate) })
  let connection: CheckedConnection
  beforeEach(async () => {
    connection = await service.client.connect()
    seen.length = 0
  })
  afterEach(() => connection.destroy())

  const responseTo = (method: string, target: string) => connection.requestRaw('', { method, target })
  const statusOf = async (method: string, target: string): Promise<number> => (await responseTo(method, target)).status
  const count = async (): Promise<number> => snippetsOf(await service.client.get(snippets)).length
  /** Sends requests. The first waits at the gate. */
  const sendBehindGate = async (...requests: readonly string[]): Promise<void> => {
    const arrival = gate.arrival()
    connection.send(get(page) + requests.join(''))
    await arrival
  }

  it('answers in order, packet after packet, and observes the bytes of each response', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `pipelined-${10 + i}`)
    for (let sent = 0; sent < ids.length; sent += 5) {
      const packet = ids.slice(sent, sent + 5)
      connection.send(packet.map(id => get(`${snippets}7/`, `X-Request-Id: ${id}`)).join(''))
      for (const id of packet) expect((await responseTo('GET', `${snippets}7/`)).headers['x-request-id']).to.equal(id)
    }
    await first(ids.length)
    expect(seen.map(({ requestId }) => requestId)).to.deep.equal(ids)
    expect(new Set(seen.map(({ bytes }) => bytes)).size).to.equal(1)
  })

  it('begins a request after the response to the earlier one', async () => {
    await sendBehindGate(requestHead('DELETE', `${snippets}999/`), post(snippets))
    const before = await count()
    gate.open()
    expect(await statusOf('GET', page)).to.equal(200)
    expect(await statusOf('DELETE', `${snippets}999/`)).to.equal(404)
    expect(await statusOf('POST', snippets)).to.equal(201)
    expect(await count()).to.equal(before + 1)
  })

  for (const [what, request] of [
    ['80 fields', get(users, ...Array(79).fill('a: 1'))],
    ['a field of 15 KB', get(users, `a: ${'x'.repeat(15_000)}`)],
    ['a body of 15 KB', get(users, 'Content-Length: 15000') + 'x'.repeat(15_000)],
  ] as const)
    it(`serves two queued requests with ${what}, then returns 503 and closes`, async () => {
      await sendBehindGate(request.repeat(4))
      // by then the service has read all requests
      await service.client.get(users)
      seen.length = 0
      gate.open()
      expect(await statusOf('GET', page)).to.equal(200)
      for (let i = 0; i < 2; i++) expect(await statusOf('GET', users)).to.equal(200)
      expect(await statusOf('GET', users)).to.equal(503)
      expect(await connection.ended()).to.equal('closed')
      expect(seen.filter(({ limit }) => limit === 'pipelining')).to.have.length(1)
    })

  it('reads at most 10,000 requests in a turn, because Node holds them until it ends', async () => {
    const turns = countTurns()
    const begunIn: number[] = []
    const listener = () => void begunIn.push(turns.current())
    const server = await serveOnFreePort(listener)
    const clients = await Promise.all(Array.from({ length: 30 }, () => openConnection(server.url)))
    await eventually(() => server.connections() === clients.length)
    for (const client of clients) client.send(get('/').repeat(1000))
    for (const client of clients) expect(await client.ended()).to.be.oneOf(['closed', 'reset'])
    await turns.stop()
    await server.stop(0)
    const begunByTurn = new Map<number, number>()
    for (const turn of begunIn) begunByTurn.set(turn, (begunByTurn.get(turn) ?? 0) + 1)
    // each client begins its first request
    expect(Math.max(...begunByTurn.values())).to.be.at.most(10)
  })

  it('serves each request of a packet in a turn of its own, because Node runs promises after each body', async () => {
    const turns = countTurns()
    const begunIn: number[] = []
    const listener = async (_req: IncomingMessage, res: ServerResponse) => {
      begunIn.push(turns.current())
      await undefined
      res.end()
    }
    const server = await serveOnFreePort(listener)
    const client = await openConnection(server.url)
    client.send(get('/', 'Content-Length: 1').replace(/$/, 'x').repeat(5))
    await eventually(() => begunIn.length === 5)
    await turns.stop()
    client.destroy()
    await server.stop(0)
    expect(new Set(begunIn).size).to.equal(5)
  })

  it('reads no more of an unread body when it ends a turn', async () => {
    const unread: IncomingMessage[] = []
    const listener = (req: IncomingMessage) => void unread.push(req)
    const server = await serveOnFreePort(listener)
    const uploader = await openConnection(server.url)
    uploader.send(requestHead('GET', '/', 'Content-Length: 50000000'))
    uploader.send('a'.repeat(49_000_000))
    await eventually(() => (unread[0]?.readableLength ?? 0) > 0)
    const before = unread[0]?.readableLength
    for (let round = 0; round < 2; round++) {
      const floods = await Promise.all(Array.from({ length: 15 }, () => openConnection(server.url)))
      await eventually(() => server.connections() > floods.length)
      for (const flood of floods) flood.send(get('/').repeat(1000))
      for (const flood of floods) expect(await flood.ended()).to.be.oneOf(['closed', 'reset'])
    }
    expect(unread[0]?.readableLength).to.equal(before)
    await server.stop(0)
  })

  it('closes when a chunked body behind another request has too many chunks', async () => {
    await sendBehindGate(chunkedHead + chunk(' ').repeat(1200))
    expect(await connection.ended()).to.be.oneOf(['closed', 'reset'])
    gate.open()
  })

  it('begins no queued request of a client that has left', async () => {
    const before = await count()
    await sendBehindGate(post(snippets).repeat(2))
    connection.reset()
    await eventually(() => seen.some(({ route }) => route === page))
    gate.open()
    expect(await count()).to.equal(before)
    const left = seen.find(({ route }) => route === page)
    expect(left).to.include({ clientLeft: true, status: undefined, bytes: 0 })
  })

  for (const [what, bytes, status] of [
    ['a request that is not HTTP', 'this is no request\r\n\r\n', 400],
    ['a head that is too large', get('/', `X: ${'x'.repeat(20_000)}`), 431],
    ['CONNECT', requestHead('CONNECT', 'a:80'), 400],
    ['an unknown expectation', get(users, 'Expect: miracles'), 417],
  ] as const)
    it(`answers and observes earlier requests, then ${status} once to ${what}, and closes`, async () => {
      await sendBehindGate(get(users), bytes)
      connection.send(get(users))
      // unread bytes at the close would reset the connection
      await service.client.get('/api/snippets/config/')
      seen.length = 0
      gate.open()
      expect(await statusOf('GET', page)).to.equal(200)
      expect(await statusOf('GET', users)).to.equal(200)
      const rejected = await responseTo('GET', status === 417 ? users : '')
      expect(rejected.status).to.equal(status)
      expect(problemOf(rejected).type).to.match(/^urn:snippets:/)
      expect(closes(rejected)).to.equal(true)
      expect(await connection.ended()).to.equal('closed')
      await first(3)
      expect(seen.map(observed => observed.status)).to.deep.equal([200, 200, status])
      expect(seen.reduce((sum, { bytes }) => sum + bytes, 0)).to.equal(connection.receivedBytes())
    })
})

describe('A connection with many bytes behind CONNECT', () => {
  it('is answered and freed', async () => {
    const server = await serveOnFreePort(() => {})
    const client = await openConnection(server.url)
    client.send(requestHead('CONNECT', 'a:80') + 'x'.repeat(100_000))
    expect((await client.response('GET')).status).to.equal(400)
    client.reset()
    await eventually(() => server.connections() === 0)
    await server.stop(0)
  })
})
