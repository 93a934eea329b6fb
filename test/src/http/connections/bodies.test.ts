import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Budget } from '@snippets/adapters-http/server/budget.js'
import { createExclusiveTurn } from '@snippets/adapters-http/server/exclusive-turn.js'
import { createBodyReceiver } from '@snippets/adapters-http/server/request-bodies.js'
import { expect } from 'chai'
import Koa from 'koa'
import { countTurns } from '../../support/event-loop-turns.js'
import { eventually } from '../../support/eventually.js'
import { type CheckedConnection, closes } from '../../support/http/http-client.js'
import { openConnection } from '../../support/http/raw-http.js'
import { header, problemOf, snippetsOf } from '../../support/http/representations.js'
import { chunk, chunked, get, json, lastChunk, observer, requestHead, snippetText } from '../../support/http/wire.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import { serveOnFreePort, startInProcess } from '../../support/service/in-process.js'
import { servicePerTest, sharedService } from '../../support/service/mocha-service.js'

const snippets = '/api/snippets/'
const users = '/api/users/'
const creation = { method: 'POST', target: snippets }
const chunkedHead = requestHead('POST', snippets, json, chunked)
const large = chunk(' '.repeat(65_536))
const expecting = 'Expect: 100-continue'

describe('A body', function () {
  this.timeout(30_000)
  const { observe, seen, first } = observer()
  const service = sharedService({ observe })
  let connection: CheckedConnection
  beforeEach(async () => {
    connection = await service.client.connect()
    seen.length = 0
  })
  afterEach(() => connection.destroy())

  const inPieces = (text: string): string => [...text].map(chunk).join('')
  const expectUsable = async (): Promise<void> => {
    expect((await connection.request({ method: 'GET', target: users })).status).to.equal(200)
  }

  it('is accepted in 256 chunks and one more for each 128 bytes, and is rejected in more', async () => {
    const most = chunk(' '.repeat(128 * 200)) + inPieces(snippetText.padEnd(455))
    expect((await connection.requestRaw(chunkedHead + most + lastChunk, creation)).status).to.equal(201)
    const response = await connection.requestRaw(chunkedHead + inPieces(' '.repeat(259)), creation)
    expect(response.status).to.equal(413)
    expect(problemOf(response).detail).to.contain('too small')
    expect(closes(response)).to.equal(true)
    expect(await connection.ended()).to.equal('closed')
  })

  it('is not applied without the chunks that were dropped', async () => {
    const count = async (): Promise<number> => snippetsOf(await service.client.get(snippets)).length
    const before = await count()
    const rest = chunk(snippetText.padEnd(128 * 300)) + lastChunk
    expect((await connection.requestRaw(chunkedHead + inPieces(' '.repeat(300)) + rest, creation)).status).to.equal(413)
    expect(await count()).to.equal(before)
  })

  it('that arrives after its response does not hold the head of its request', async () => {
    let received: IncomingMessage | undefined
    const server = await serveOnFreePort((req, res) => {
      received = req
      res.end()
    })
    const early = await openConnection(server.url)
    early.send(requestHead('GET', '/', 'Content-Length: 1'))
    expect((await early.response('GET')).status).to.equal(200)
    await eventually(() => received?.rawHeaders.length === 0)
    await server.stop(0)
  })

  it('with a Content-Length is accepted in any number of packets', async () => {
    const text = snippetText.padEnd(300)
    connection.send(requestHead('POST', snippets, json, `Content-Length: ${text.length}`))
    for (const byte of text) {
      connection.send(byte)
      await nextTurn()
    }
    expect((await connection.requestRaw('', creation)).status).to.equal(201)
  })

  it('with a Content-Length that is too large gets 413, which the client can read while it sends', async () => {
    const length = 5_000_000
    connection.send(requestHead('POST', snippets, json, `Content-Length: ${length}`))
    for (let sent = 0; sent < length; sent += 500_000) connection.send(' '.repeat(500_000))
    expect((await connection.requestRaw('', creation)).status).to.equal(413)
    await expectUsable()
  })

  for (const [status, target, ...lines] of [
    [415, snippets, 'Content-Type: text/plain'],
    [415, snippets, json, 'Content-Encoding: gzip'],
    [404, '/nowhere/', json],
    [405, users, json],
  ] as const)
    it(`is skipped after a ${status} to POST ${target} with ${lines.at(-1)}`, async () => {
      for (const framing of ['Content-Length: 100000', chunked]) {
        const head = requestHead('POST', target, ...lines, framing)
        const response = await connection.requestRaw(head, { method: 'POST', target })
        expect(response.status).to.equal(status)
        const body = 'x'.repeat(100_000)
        connection.send(framing === chunked ? chunk(body) + lastChunk : body)
        await expectUsable()
      }
    })

  it('is skipped after an early response in as many chunks as an accepted one may have, and with more ends the connection', async () => {
    const target = '/nowhere/'
    const head = requestHead('POST', target, chunked)
    expect((await connection.requestRaw(head, { method: 'POST', target })).status).to.equal(404)
    connection.send(inPieces(' '.repeat(250)) + lastChunk)
    await expectUsable()
    expect((await connection.requestRaw(head, { method: 'POST', target })).status).to.equal(404)
    connection.send(inPieces(' '.repeat(1_100)))
    expect(await connection.ended()).to.equal('closed')
  })

  for (const [what, status, limits, start, rest] of [
    [
      'a 415',
      415,
      {},
      requestHead('POST', snippets, 'Content-Length: 5000000', 'Connection: close'),
      ' '.repeat(5_000_000),
    ],
    ['a 413 to many chunks', 413, {}, chunkedHead + inPieces(' '.repeat(300)), large.repeat(80) + lastChunk],
    [
      'a 503 without memory',
      503,
      { bodyBytes: 0 },
      chunkedHead + chunk(' '.repeat(20_000)),
      large.repeat(80) + lastChunk,
    ],
  ] as const)
    it(`is read after ${what} that closes the connection, so that no reset takes the response from the client`, async () => {
      const { url, stop } = await startInProcess({ limits })
      // the first body gets memory in any case
      const first = await openConnection(url)
      first.send(chunkedHead + chunk(' '.repeat(10_000)))
      const socket = connect(Number(new URL(url).port), '127.0.0.1')
      const errors: unknown[] = []
      socket.on('error', error => errors.push(error))
      socket.write(start)
      const [response] = await once(socket, 'data')
      expect(String(response).slice(0, 12)).to.equal(`HTTP/1.1 ${status}`)
      await new Promise(resolve => socket.end(rest, () => resolve(undefined)))
      if (!socket.closed) await once(socket, 'close')
      expect(errors).to.deep.equal([])
      first.destroy()
      await stop()
    })

  it('whose connection was evicted is not applied, although the client sends the rest', async () => {
    const { url, client, connections, stop } = await startInProcess({ limits: { connections: 4 } })
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => {})
    socket.write(requestHead('POST', snippets, json, `Content-Length: ${snippetText.length}`, expecting))
    // by then the service waits for the body
    await once(socket, 'data')
    const ended = once(socket, 'end')
    const others = await Promise.all(Array.from({ length: 4 }, () => openConnection(url)))
    await ended
    socket.end(snippetText)
    if (!socket.closed) await once(socket, 'close')
    for (const other of others) other.destroy()
    await eventually(() => connections() === 0)
    expect(snippetsOf(await client.get(snippets))).to.deep.equal([])
    await stop()
  })

  it('that the client aborts is observed without a status, and not logged', async () => {
    for (const lines of [['Content-Length: 1000'], [chunked], ['Content-Length: 1000', expecting]]) {
      const leaving = await service.client.connect()
      leaving.send(`${requestHead('POST', snippets, json, ...lines)}1\r\n{\r\n`)
      await expectUsable()
      seen.length = 0
      leaving.reset()
      await first(1)
      expect(seen[0]).to.include({ status: undefined, bytes: 0, clientLeft: true })
    }
    expect(service.log).to.deep.equal([])
  })
})

describe('Long bodies', () => {
  const service = sharedService()

  it('are parsed one in each turn of the event loop', async () => {
    const text = snippetText.padEnd(50_000)
    const connections = await Promise.all(Array.from({ length: 20 }, () => service.client.connect()))
    for (const connection of connections)
      connection.send(requestHead('POST', snippets, json, `Content-Length: ${text.length}`) + text.slice(0, -1))
    await eventually(() => service.bodyBytes() > 20 * 49_999)
    const turns = countTurns()
    const parsedIn: number[] = []
    const { parse } = JSON
    const mocked = mock.method(JSON, 'parse', (json: string) => {
      if (json.length === text.length) parsedIn.push(turns.current())
      return parse(json)
    })
    for (const connection of connections) connection.send(text.slice(-1))
    const responses = await Promise.all(connections.map(connection => connection.requestRaw('', creation)))
    for (const connection of connections) connection.destroy()
    mocked.mock.restore()
    await turns.stop()
    expect(responses.map(({ status }) => status)).to.deep.equal(Array(20).fill(201))
    expect(parsedIn).to.have.length(20)
    expect(new Set(parsedIn).size).to.equal(20)
  })
})

describe('A service at the limit of body bytes', () => {
  const { observe, seen } = observer()
  const service = sharedService({ limits: { bodyBytes: 100_000 }, observe })

  for (const [what, bytes] of [
    ['large bodies', chunk(' '.repeat(20_000))],
    ['bodies of many chunks', chunk(' ').repeat(100)],
  ] as const)
    it(`returns 503 for ${what}, reads small ones, and frees the bytes of ended bodies`, async () => {
      const connections = await Promise.all(Array.from({ length: 8 }, () => service.client.connect()))
      for (const connection of connections) connection.send(chunkedHead + bytes)
      const rejected = await Promise.race(connections.map(connection => connection.requestRaw('', creation)))
      expect(rejected.status).to.equal(503)
      expect(header(rejected, 'Retry-After')).to.equal('1')
      expect(problemOf(rejected).type).to.equal('urn:snippets:overloaded')
      await eventually(() => seen.some(({ limit }) => limit === 'bodyBytes'))
      expect(service.bodyBytes()).to.be.within(60_000, 101_000)
      expect((await service.client.post(snippets, snippetText)).status).to.equal(201)
      for (const connection of connections) connection.destroy()
      await eventually(() => service.bodyBytes() === 0)
      expect((await service.client.post(snippets, snippetText.padEnd(90_000))).status).to.equal(201)
    })
})

describe('A body whose response has ended early', () => {
  it('is no longer collected, and takes no more bytes of the limit', async () => {
    const bodyBytes = new Budget<ServerResponse>(100_000)
    const receive = createBodyReceiver(bodyBytes, createExclusiveTurn())
    let received: IncomingMessage | undefined
    const app = new Koa().use(ctx => {
      if (ctx.method === 'POST') {
        received = ctx.req
        void receive(ctx)
      }
      ctx.body = 'early'
    })
    const server = await serveOnFreePort(app.callback())
    const connection = await openConnection(server.url)
    connection.send(chunkedHead + chunk(' '))
    expect((await connection.response('POST')).status).to.equal(200)
    expect(received?.listenerCount('data')).to.equal(0)
    connection.send(large + lastChunk + get(users))
    expect((await connection.response('GET')).status).to.equal(200)
    expect(bodyBytes.reserved).to.equal(0)
    await server.stop(0)
  })
})

describe('A body that no route reads', () => {
  const gate = closedGate()
  const service = sharedService({ store: gatedPages(gate) })
  const list = '/api/snippets-viewset/'

  it('is discarded before its request is answered', async () => {
    const connection = await service.client.connect()
    const arrival = gate.arrival()
    connection.send(get(list, chunked))
    await arrival
    connection.send(large.repeat(128) + lastChunk)
    await eventually(() => connection.unsentBytes() === 0)
    gate.open()
    expect((await connection.requestRaw('', { method: 'GET', target: list })).status).to.equal(200)
    expect((await connection.request({ method: 'GET', target: users })).status).to.equal(200)
  })
})

describe('A connection that the service has ended', () => {
  const start = servicePerTest()

  for (const [what, request] of [
    ['a 404 to an unfinished body', requestHead('POST', '/nowhere/', json, 'Content-Length: 200000')],
    ['a 415 that closes the connection', requestHead('POST', snippets, 'Content-Length: 200000', 'Connection: close')],
    ['a 431 to a long head', get('/', `X: ${'x'.repeat(20_000)}`)],
    ['a 400 to another protocol', 'GET / HTTP/9.1\r\n\r\n'],
    ['a 503 to a queued body', get(users) + requestHead('POST', snippets, json, chunked)],
    ['a 408 to an unfinished head', 'GET / HTTP/1.1\r\n'],
  ] as const)
    it(`closes some time after ${what}, although the client goes on sending and never closes its side`, async () => {
      const { url, connections } = await start({ limits: { requestMs: 300 } })
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => {}).resume()
      socket.write(request)
      await eventually(() => connections() === 1)
      const sending = setInterval(() => socket.write('a'), 30)
      await eventually(() => connections() === 0).finally(() => clearInterval(sending))
      socket.destroy()
    })
})
