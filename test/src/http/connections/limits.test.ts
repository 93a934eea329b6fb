import { once } from 'node:events'
import { type RequestListener, Server, type ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { mock } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Connections } from '@snippets/adapters-http/server/connections.js'
import { defaultLimits, type ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { PoliteResponse } from '@snippets/adapters-http/server/polite-response.js'
import { type RefusalOptions, Refusals } from '@snippets/adapters-http/server/refusal.js'
import { expect } from 'chai'
import { type Connection, openConnection } from '../../support/http/raw-http.js'
import { header, problemOf } from '../../support/http/representations.js'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

describe('A server at its limits', () => {
  let server: Listening
  let connections: Connection[] = []
  let held: ServerResponse[] = []

  const start = async (
    limits: Partial<ServerLimits>,
    listener: RequestListener = (_req, res) => void held.push(res),
  ) => {
    server = await listen(listener, { host: '127.0.0.1', port: 0 }, limits)
  }
  const open = async (): Promise<Connection> => {
    const connection = await openConnection(server.url)
    connections.push(connection)
    return connection
  }
  const ask = async (): Promise<Connection> => {
    const connection = await open()
    connection.send(get)
    return connection
  }
  const heldRequests = async (count: number): Promise<void> => {
    while (held.length < count) await wait(5)
  }

  afterEach(async () => {
    for (const connection of connections) connection.destroy()
    await server.stop(0)
    connections = []
    held = []
  })

  it('goes on after connections that it could not accept', async () => {
    await start({}, ({ socket }, res) => {
      const accepted: object = socket
      if (!('server' in accepted && accepted.server instanceof Server)) throw new Error('no server')
      for (let i = 0; i < 3; i++) accepted.server.emit('error', new Error('accept EMFILE'))
      res.end('still here')
    })
    expect((await (await ask()).answer('GET')).text).to.equal('still here')
  })

  it('holds back requests past those in flight, and serves them in their order', async () => {
    await start({ requests: 1, waiting: 5 })
    const [first, second] = [await ask(), await ask()]
    await heldRequests(1)
    await wait(20)
    expect(held).to.have.length(1)
    expect(server.load()).to.include({ inFlight: 1, waiting: 1, shed: 0 })
    held[0]?.end('one')
    expect((await first.answer('GET')).text).to.equal('one')
    await heldRequests(2)
    held[1]?.end('two')
    expect((await second.answer('GET')).text).to.equal('two')
    expect(server.load()).to.include({ waiting: 0, shed: 0 })
  })

  it('sheds a request with 503 when too many wait, and keeps its connection', async () => {
    await start({ requests: 1, waiting: 0 })
    const first = await ask()
    await heldRequests(1)
    const second = await ask()
    const shed = await second.answer('GET')
    expect(shed.status).to.equal(503)
    expect(problemOf(shed).type).to.equal('urn:snippets:overloaded')
    expect(header(shed, 'Retry-After')).to.equal('1')
    expect(server.load().shed).to.equal(1)
    held[0]?.end('one')
    await first.answer('GET')
    second.send(get)
    await heldRequests(2)
    held[1]?.end('two')
    expect((await second.answer('GET')).text).to.equal('two')
  })

  it('passes over a waiting request whose client has left', async () => {
    await start({ requests: 1, waiting: 5 })
    const first = await ask()
    await heldRequests(1)
    const { hostname, port } = new URL(server.url)
    const left = connect(Number(port), hostname)
    left.write(get)
    while (server.load().waiting < 1) await wait(5)
    const third = await ask()
    while (server.load().waiting < 2) await wait(5)
    left.resetAndDestroy()
    await wait(20)
    held[0]?.end('one')
    await first.answer('GET')
    await heldRequests(2)
    held[1]?.end('three')
    expect((await third.answer('GET')).text).to.equal('three')
  })

  it('passes over several waiting requests whose clients have left', async () => {
    await start({ requests: 1, waiting: 5 })
    const first = await ask()
    await heldRequests(1)
    const { hostname, port } = new URL(server.url)
    const left = Array.from({ length: 3 }, () => connect(Number(port), hostname))
    for (const client of left) client.write(get)
    while (server.load().waiting < left.length) await wait(5)
    const last = await ask()
    while (server.load().waiting < left.length + 1) await wait(5)
    for (const client of left) client.resetAndDestroy()
    await wait(20)
    held[0]?.end('one')
    await first.answer('GET')
    await heldRequests(2)
    held[1]?.end('last')
    expect((await last.answer('GET')).text).to.equal('last')
    expect(server.load()).to.include({ inFlight: 0, waiting: 0 })
  })

  it('closes the oldest idle connection to make room for a new one', async () => {
    await start({ connections: 2 }, (_req, res) => void res.end('ok'))
    const [oldest, newer] = [await open(), await open()]
    for (const connection of [oldest, newer]) {
      connection.send(get)
      await connection.answer('GET')
    }
    const third = await ask()
    expect((await third.answer('GET')).text).to.equal('ok')
    await oldest.ended()
    newer.send(get)
    expect((await newer.answer('GET')).text).to.equal('ok')
  })

  it('answers 503 to a new connection when the others have only just come', async () => {
    await start({ connections: 2 }, (_req, res) => void res.end('ok'))
    const [first, second] = [await open(), await open()]
    expect((await (await open()).answer('GET')).status).to.equal(503)
    for (const connection of [first, second]) {
      connection.send(get)
      expect((await connection.answer('GET')).text).to.equal('ok')
    }
  })

  it('answers 503 to a new connection when all others are busy', async () => {
    await start({ connections: 1 })
    await ask()
    await heldRequests(1)
    const refused = await open()
    const answer = await refused.answer('GET')
    expect(answer.status).to.equal(503)
    expect(header(answer, 'Retry-After')).to.equal('1')
    expect(await refused.ended()).to.equal('closed')
  })

  it('answers 503 to each new connection when all others are busy, also while refused ones are still open', async () => {
    await start({ connections: 1 })
    await ask()
    await heldRequests(1)
    const { hostname, port } = new URL(server.url)
    // the server lingers while a client leaves its side open
    const refused = Array.from({ length: 3 }, () =>
      connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => {}),
    )
    const answers = await Promise.all(refused.map(socket => once(socket, 'data')))
    for (const [bytes] of answers) expect(String(bytes)).to.match(/^HTTP\/1\.1 503 /)
    for (const socket of refused) socket.destroy()
  })

  it('sheds requests while too many bytes wait for clients to read, and serves again when they are gone', async () => {
    const megabytes = 'x'.repeat(20 * 1024 * 1024)
    await start({ unsentBytes: 1024 * 1024 }, (_req, res) => void res.end(megabytes))
    const { hostname, port } = new URL(server.url)
    const reader = connect(Number(port), hostname).pause()
    await once(reader, 'connect')
    reader.write(get)
    while (server.load().unsentBytes === 0) await wait(5)
    expect((await (await ask()).answer('GET')).status).to.equal(503)
    reader.destroy()
    while (server.load().unsentBytes > 0) await wait(5)
    expect((await (await ask()).answer('GET')).status).to.equal(200)
  })

  it('answers 431 to a head past its limit', async () => {
    await start({ headBytes: 1024 })
    const connection = await open()
    connection.send(`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(2000)}\r\n\r\n`)
    expect((await connection.answer('GET')).status).to.equal(431)
  })

  it('answers 408 to a head that does not arrive in time', async () => {
    await start({ headMs: 100 })
    const connection = await open()
    connection.send('GET / HTTP/1.1\r\n')
    expect((await connection.answer('GET')).status).to.equal(408)
  })

  it('closes a connection that is unused for too long', async () => {
    await start({ idleMs: 100 }, (_req, res) => void res.end('ok'))
    const connection = await ask()
    await connection.answer('GET')
    expect(await connection.ended()).to.equal('closed')
  })
})

const connectionsUpTo = (connections: number, options: RefusalOptions = {}): Connections =>
  new Connections({
    limits: { ...defaultLimits, connections },
    refusals: new Refusals(options, defaultLimits.idleMs),
    shed: () => false,
    listener: () => {},
    responseTo: req => new PoliteResponse(req),
  })

describe('New connections past the limit that come at once', () => {
  it('close one each that has been silent, the oldest first', async () => {
    const connections = connectionsUpTo(2)
    const sockets = Array.from({ length: 4 }, () => new Socket())
    for (const socket of sockets.slice(0, 2)) connections.add(socket)
    await wait(1100)
    for (const socket of sockets.slice(2)) connections.add(socket)
    expect(sockets.map(({ destroyed }) => destroyed)).to.deep.equal([true, true, false, false])
    connections.destroyAll()
  })

  it('are refused, and do not take the place of one that was refused and lingers', () => {
    let refused = 0
    const connections = connectionsUpTo(0, { observe: () => void refused++ })
    const [first, second] = [new Socket(), new Socket()]
    connections.add(first)
    const later = performance.now() + 2000
    mock.method(performance, 'now', () => later)
    connections.add(second)
    mock.reset()
    expect([first.destroyed, refused]).to.deep.equal([false, 2])
    connections.destroyAll()
  })

  it('linger in a bounded number after they were refused', () => {
    const connections = connectionsUpTo(0)
    const sockets = Array.from({ length: 258 }, () => new Socket())
    for (const socket of sockets) connections.add(socket)
    expect(sockets.filter(({ destroyed }) => destroyed)).to.deep.equal(sockets.slice(0, 2))
    connections.destroyAll()
  })
})
