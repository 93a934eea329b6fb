import type { RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Server } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { closes } from '../../support/http/http-client.js'
import { type Connection, openConnection } from '../../support/http/raw-http.js'
import { problemOf } from '../../support/http/representations.js'
import { get, observer, post } from '../../support/http/wire.js'
import { serveOnFreePort } from '../../support/service/in-process.js'

describe('A server at the limit of connections', () => {
  /** Responses that wait for the storage. */
  const pending: ServerResponse[] = []
  /** The pieces sent of each response that never ends. */
  const pieces = new Map<string, number>()
  /** The targets of closed responses that never end. */
  const cutOff: string[] = []
  const endless: RequestListener = ({ url = '' }, res) => {
    const read = function (this: Readable): void {
      pieces.set(url, (pieces.get(url) ?? 0) + 1)
      this.push(Buffer.alloc(16_384))
    }
    new Readable({ read }).pipe(res.once('close', () => cutOff.push(url)))
  }
  const untilStalled = async (url: string): Promise<void> => {
    for (let seen: number | undefined; seen === undefined || seen !== pieces.get(url); await wait(50))
      seen = pieces.get(url)
  }
  const answer: Readonly<Record<string, RequestListener>> = {
    '/endless?slow': endless,
    '/endless?stalled': endless,
    '/storage': (_req, res) => void pending.push(res),
    '/body': (req, res) => void req.resume().once('end', () => pending.push(res)),
  }
  const { observe, seen } = observer()
  let server: Server
  const start = async (connections: number): Promise<void> => {
    const listener: RequestListener = (req, res) => (answer[req.url ?? ''] ?? (() => res.end('short')))(req, res)
    server = await serveOnFreePort(listener, { connections }, observe)
  }
  afterEach(() => {
    pending.length = 0
    return server.stop(0)
  })

  const open = async (bytes = ''): Promise<Connection> => {
    const before = server.connections() + server.evictedConnections()
    const connection = await openConnection(server.url)
    await eventually(() => server.connections() + server.evictedConnections() > before)
    connection.send(bytes)
    return connection
  }
  const openWaitingForStorage = async (bytes: string): Promise<Connection> => {
    const before = pending.length
    const connection = await open(bytes)
    await eventually(() => pending.length > before)
    return connection
  }

  it('closes the connection that has been idle longest, then the one whose wait for its client began first', async () => {
    await start(9)
    const silent = await open()
    const idle = [await open(get('/')), await open(get('/'))]
    for (const connection of idle) expect((await connection.response('GET')).status).to.equal(200)
    const storage = await openWaitingForStorage(get('/storage'))
    await openWaitingForStorage(get('/storage'))
    const halfHead = await open(get('/').slice(0, -2))
    const halfBody = await open(post('/body').slice(0, -1))
    const slow = await open()
    const stalled = await open()
    for (const [connection, target] of [
      [slow, '/endless?slow'],
      [stalled, '/endless?stalled'],
    ] as const) {
      connection.pause()
      connection.send(get(target))
      await untilStalled(target)
    }
    const readSome = async (): Promise<void> => {
      const before = pieces.get('/endless?slow')
      slow.resume()
      await eventually(() => pieces.get('/endless?slow') !== before)
      slow.pause()
      await untilStalled('/endless?slow')
    }
    await readSome()
    const newcomers: Connection[] = []
    for (const victim of [...idle, silent, halfHead, halfBody]) {
      newcomers.push(await open())
      expect(await victim.ended()).to.be.oneOf(['closed', 'reset'])
    }
    newcomers.push(await open())
    await eventually(() => cutOff.includes('/endless?stalled'))
    expect([server.evictedConnections(), newcomers[0]?.isOpen()]).to.deep.equal([6, true])
    await readSome()
    newcomers.push(await open())
    expect(await newcomers[0]?.ended()).to.be.oneOf(['closed', 'reset'])
    expect(server.evictedConnections()).to.equal(7)
    pending[0]?.end()
    expect((await storage.response('GET')).status).to.equal(200)
  })

  it('never closes a connection that waits for the storage, and returns one 503 to a new one', async () => {
    seen.length = 0
    await start(2)
    const busy = [await openWaitingForStorage(get('/storage')), await openWaitingForStorage(post('/body'))]
    const rejected = await open(get('/'))
    const response = await rejected.response('GET')
    expect(response.status).to.equal(503)
    expect(response.headers).to.include({ 'retry-after': '1', connection: 'close' })
    expect(problemOf(response).type).to.equal('urn:snippets:overloaded')
    rejected.send(get('/').repeat(20_000))
    await rejected.ended()
    expect(seen).to.have.length(1)
    expect(seen[0]).to.include({ route: 'rejected', status: 503, clientLeft: false, limit: 'connections' })
    for (const res of pending) res.end()
    for (const connection of busy) expect((await connection.response('GET')).status).to.equal(200)
    expect(server.evictedConnections()).to.equal(0)
  })

  it('holds at most 256 rejected connections whose clients do not leave', async () => {
    seen.length = 0
    await start(1)
    await openWaitingForStorage(get('/storage'))
    for (let count = 1; count <= 300; count++) {
      // a paused client does not see that the server has ended the connection
      const rejected = await openConnection(server.url)
      rejected.pause()
    }
    await eventually(() => seen.length === 300)
    await eventually(() => server.connections() === 257)
  })

  it('sends Connection: close from three quarters of the limit on', async () => {
    await start(4)
    const [first, second, third] = [await open(), await open(), await open()]
    first.send(get('/'))
    expect(closes(await first.response('GET'))).to.equal(true)
    expect(await first.ended()).to.equal('closed')
    await eventually(() => server.connections() === 2)
    for (const connection of [second, third]) {
      connection.send(get('/'))
      expect(closes(await connection.response('GET'))).to.equal(false)
    }
  })
})
