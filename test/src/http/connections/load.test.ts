import { listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { openConnection } from '../../support/http/raw-http.js'
import { problemOf } from '../../support/http/representations.js'
import { get, observer } from '../../support/http/wire.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import { servicePerTest } from '../../support/service/mocha-service.js'

const page = '/api/snippets-viewset/'
const users = '/api/users/'
const origin = 'https://a.example'

describe('A service at the limit of connections', () => {
  const start = servicePerTest()

  it('closes idle connections for a new one', async () => {
    const { client } = await start({ limits: { connections: 3 } })
    const idle = [await client.connect(), await client.connect()]
    for (const connection of idle) await connection.request({ method: 'GET', target: users })
    const third = await client.connect()
    expect((await third.request({ method: 'GET', target: users })).status).to.equal(200)
    let status = 503
    while (status === 503) status = (await (await client.connect()).request({ method: 'GET', target: users })).status
    expect(status).to.equal(200)
    for (const connection of idle) expect(await connection.ended()).to.equal('closed')
  })

  it('returns 503 to a new connection if none is idle, and observes it', async () => {
    const gate = closedGate()
    const { observe, seen, first } = observer()
    const { url } = await start({ observe, limits: { connections: 1 }, store: gatedPages(gate) })
    const busy = await openConnection(url)
    const arrival = gate.arrival()
    busy.send(get(page))
    await arrival
    seen.length = 0
    const rejected = await openConnection(url)
    const response = await rejected.response('GET')
    expect(response.status).to.equal(503)
    expect(response.headers).to.include({ 'retry-after': '1', connection: 'close' })
    expect(problemOf(response).type).to.equal('urn:snippets:overloaded')
    expect(await rejected.ended()).to.equal('closed')
    expect((await first(1))[0]).to.include({
      route: 'rejected',
      status: 503,
      clientLeft: false,
      limit: 'MAX_CONNECTIONS',
    })
    gate.open()
    expect((await busy.response('GET')).status).to.equal(200)
  })

  it('ignores requests on a rejected connection', async () => {
    const { observe, seen, first } = observer()
    const { url } = await start({ observe, limits: { connections: 1 } })
    const kept = await openConnection(url)
    const rejected = await openConnection(url)
    expect((await rejected.response('GET')).status).to.equal(503)
    rejected.send(get(users).repeat(20_000))
    await rejected.ended()
    kept.send(get(users))
    expect((await kept.response('GET')).status).to.equal(200)
    await first(2)
    expect(seen.map(({ status }) => status)).to.deep.equal([503, 200])
    kept.destroy()
  })
})

describe('A service at the limit of requests in flight', () => {
  const start = servicePerTest()

  it('returns 503 with Retry-After for more requests, and serves again afterwards', async () => {
    const gate = closedGate()
    const { observe, seen } = observer()
    const { client, url } = await start({
      observe,
      corsOrigins: [origin],
      maxRequests: 1,
      store: gatedPages(gate),
    })
    await client.description()
    seen.length = 0
    const arrival = gate.arrival()
    const first = client.get(page)
    await arrival
    const shed = await client.get(users, { Origin: origin, 'X-Request-Id': 'mine' })
    expect(shed.status).to.equal(503)
    expect(problemOf(shed).type).to.equal('urn:snippets:overloaded')
    expect(shed.headers).to.include({
      'retry-after': '1',
      'x-request-id': 'mine',
      'access-control-allow-origin': origin,
    })
    const preflight = { Origin: origin, 'Access-Control-Request-Method': 'PUT' }
    expect((await fetch(url + users, { method: 'OPTIONS', headers: preflight })).status).to.equal(204)
    gate.open()
    expect((await first).status).to.equal(200)
    await eventually(() => seen.length === 3)
    expect(seen.map(({ requestId, status }) => (status === 503 ? requestId : status))).to.deep.equal(['mine', 204, 200])
    expect(seen.map(({ limit }) => limit)).to.deep.equal(['MAX_REQUESTS', undefined, undefined])
    expect((await client.get(users)).status).to.equal(200)
  })

  it('does not count a request after its client has left', async () => {
    const gate = closedGate()
    const { observe, first } = observer()
    const { url, client } = await start({ observe, maxRequests: 1, store: gatedPages(gate) })
    const connection = await openConnection(url)
    const arrival = gate.arrival()
    connection.send(get(page))
    await arrival
    connection.destroy()
    expect((await first(1))[0]).to.include({ clientLeft: true, status: undefined, bytes: 0 })
    expect((await client.get(users)).status).to.equal(200)
    gate.open()
  })
})

describe('A service whose event loop is blocked', () => {
  const start = servicePerTest()

  it('returns 503 until the delay has ended', async () => {
    const block = (): void => {
      for (const until = performance.now() + 60; performance.now() < until; );
    }
    const { observe, seen } = observer()
    const { client } = await start({ maxDelayMs: 20, observe })
    await client.description()
    const blocking = setInterval(block, 1)
    try {
      let status = 200
      while (status === 200) status = (await client.get(users)).status
      expect(status).to.equal(503)
      await eventually(() => seen.some(({ limit }) => limit === 'MAX_DELAY_MS'))
    } finally {
      clearInterval(blocking)
    }
    let status = 503
    while (status === 503) status = (await client.get(users)).status
    expect(status).to.equal(200)
  })
})

describe('A server whose clients do not read', () => {
  it('disconnects the clients with the most unread bytes, and serves the others', async () => {
    const length = 20_000_000
    const limit = 2.5 * length
    const large = Buffer.alloc(length)
    const address = { host: '127.0.0.1', port: 0 }
    const server = await listen(({ url }, res) => void res.end(url === '/' ? large : 'short'), address, {
      unsentBytes: limit,
    })
    const slow = await Promise.all(Array.from({ length: 3 }, () => openConnection(server.url)))
    for (const connection of slow) {
      connection.pause()
      connection.send(get('/'))
    }
    await eventually(() => server.unsentBytes() > limit)
    await eventually(() => server.unsentBytes() < limit)
    const reading = await openConnection(server.url)
    reading.send(get('/short'))
    expect((await reading.response('GET')).text).to.equal('short')
    for (const connection of slow) connection.resume()
    const attempts = await Promise.all(slow.map(connection => connection.attempt('GET')))
    expect(attempts.filter(({ complete }) => complete)).to.have.length(2)
    await server.stop(0)
  })
})
