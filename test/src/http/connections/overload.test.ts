import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { WaitingLine } from '@snippets/adapters-http/server/waiting-line.js'
import { expect } from 'chai'
import { type Connection, openConnection } from '../../support/http/raw-http.js'
import { header, problemOf } from '../../support/http/representations.js'

const get = (path = '/') => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
const post = (path: string) => `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`

/** Longer than a turn of the event loop begins requests. */
const work = (): void => {
  const end = performance.now() + 12
  while (performance.now() < end);
}

describe('An overloaded server', () => {
  let server: Listening
  let connections: readonly Connection[] = []

  const start = async (listener: RequestListener, limits: Partial<ServerLimits> = {}) => {
    server = await listen(listener, { host: '127.0.0.1', port: 0 }, limits)
  }
  const open = async (count: number) => {
    connections = await Promise.all(Array.from({ length: count }, () => openConnection(server.url)))
    // the server has accepted each
    for (const connection of connections) {
      connection.send(get('/warm'))
      await connection.answer('GET')
    }
    return connections
  }

  afterEach(async () => {
    for (const connection of connections) connection.destroy()
    await server.stop(0)
  })

  it('lets requests wait where they are counted, and begins them in their order', async () => {
    const begun: string[] = []
    let maxWaiting = 0
    await start((req, res) => {
      if (req.url !== '/warm') {
        begun.push(req.url ?? '')
        maxWaiting = Math.max(maxWaiting, server.load().waiting)
        work()
      }
      res.end()
    })
    const paths = Array.from({ length: 8 }, (_, i) => `/${i}`)
    const clients = await open(paths.length)
    for (const [i, client] of clients.entries()) client.send(get(paths[i]))
    for (const client of clients) expect((await client.answer('GET')).status).to.equal(200)
    expect(begun).to.deep.equal(paths)
    expect(maxWaiting).to.be.greaterThan(1)
    expect(server.load()).to.include({ waiting: 0, shed: 0 })
  })

  it('looks at the time again only when a request has done all that it can do at once', async () => {
    const events: string[] = []
    await start(async (req, res) => {
      if (req.url === '/warm') return res.end()
      events.push(`begin ${req.url}`)
      await bodyOf(req)
      work()
      events.push(`end ${req.url}`)
      return res.end()
    })
    const clients = await open(5)
    for (const [i, client] of clients.entries()) client.send(post(`/${i}`))
    for (const client of clients) await client.answer('POST')
    expect(events.slice(2)).to.deep.equal([1, 2, 3, 4].flatMap(i => [`begin /${i}`, `end /${i}`]))
  })

  it('sheds what waits when the answers before it are more than clients read', async () => {
    const large = 'x'.repeat(20 * 1024 * 1024)
    await start(
      (req, res) => {
        if (req.url === '/0') work()
        res.end(req.url === '/1' ? large : '')
      },
      { unsentBytes: 1024 * 1024 },
    )
    const clients = await open(3)
    clients[1]?.pause()
    for (const [i, client] of clients.entries()) client.send(get(`/${i}`))
    expect((await clients[0]?.answer('GET'))?.status).to.equal(200)
    expect((await clients[2]?.answer('GET'))?.status).to.equal(503)
    expect(server.load().unsentBytes).to.be.greaterThan(0)
  })

  it('goes on when a listener throws, or rejects, for one that waited', async () => {
    await start((req, res) => {
      if (req.url === '/0') work()
      if (req.url === '/1') throw new Error('planted')
      return req.url === '/2' ? Promise.reject(new Error('planted')) : void res.end()
    })
    const clients = await open(4)
    for (const [i, client] of clients.entries()) client.send(get(`/${i}`))
    for (const i of [0, 3]) expect((await clients[i]?.answer('GET'))?.status).to.equal(200)
    for (const i of [1, 2]) expect((await clients[i]?.attempt('GET'))?.complete).to.equal(false)
  })

  it('gives up on the body that has taken longest to arrive when others wait for its place', async () => {
    await start(
      async (req, res) => {
        await bodyOf(req)
        res.end('whole')
      },
      { requests: 2 },
    )
    const [oldest, older, other] = await open(3)
    oldest?.send(post('/').slice(0, -1))
    while (server.load().inFlight < 1) await wait(5)
    older?.send(post('/').slice(0, -1))
    while (server.load().inFlight < 2) await wait(5)
    await wait(2100)
    other?.send(get())
    expect((await other?.answer('GET'))?.text).to.equal('whole')
    expect((await oldest?.answer('POST'))?.status).to.equal(408)
    expect(await oldest?.ended()).to.equal('closed')
    older?.send('}')
    expect((await older?.answer('POST'))?.text).to.equal('whole')
  })

  it('gives up on no body whose answer has begun', async () => {
    await start(
      async (req, res) => {
        res.write('half, ')
        await bodyOf(req)
        res.end('whole')
      },
      { requests: 1 },
    )
    const [begun, other] = await open(2)
    begun?.send(post('/').slice(0, -1))
    while (server.load().inFlight < 1) await wait(5)
    await wait(2100)
    other?.send(get())
    while (server.load().waiting < 1) await wait(5)
    begun?.send('}')
    expect((await begun?.answer('POST'))?.text).to.equal('half, whole')
    expect((await other?.answer('GET'))?.text).to.equal('half, whole')
  })

  it('gives up on stalled bodies for those that wait, also when nobody new arrives', async () => {
    await start(
      async (req, res) => {
        await bodyOf(req)
        res.end('whole')
      },
      { requests: 1 },
    )
    const [stalled, first, second] = await open(3)
    stalled?.send(post('/').slice(0, -1))
    while (server.load().inFlight < 1) await wait(5)
    for (const client of [first, second]) client?.send(get())
    expect((await first?.answer('GET'))?.text).to.equal('whole')
    expect((await second?.answer('GET'))?.text).to.equal('whole')
    expect((await stalled?.answer('POST'))?.status).to.equal(408)
  })

  it('gives no body up in less than two seconds', async () => {
    await start(
      async (req, res) => {
        await bodyOf(req)
        res.end('whole')
      },
      { requests: 1 },
    )
    const [slow, other] = await open(2)
    slow?.send(post('/').slice(0, -1))
    while (server.load().inFlight < 1) await wait(5)
    other?.send(get())
    while (server.load().waiting < 1) await wait(5)
    slow?.send('}')
    expect((await slow?.answer('POST'))?.text).to.equal('whole')
    expect((await other?.answer('GET'))?.text).to.equal('whole')
  })

  it('sheds new requests at once when others have waited for too long, until it has caught up', async () => {
    const held: ServerResponse[] = []
    await start((req, res) => void (req.url === '/warm' ? res.end() : held.push(res)), { requests: 1, waitMs: 50 })
    const [first, second, third] = await open(3)
    first?.send(get())
    while (held.length < 1) await wait(5)
    second?.send(get())
    while (server.load().waiting < 1) await wait(5)
    await wait(150)
    third?.send(get())
    const shed = await third?.answer('GET')
    if (shed === undefined) throw new Error('no answer')
    expect(shed.status).to.equal(503)
    expect(problemOf(shed).type).to.equal('urn:snippets:overloaded')
    expect(header(shed, 'Retry-After')).to.equal('1')
    expect(server.load()).to.include({ waiting: 1, shed: 1 })
    held[0]?.end('one')
    while (held.length < 2) await wait(5)
    third?.send(get())
    while (server.load().waiting < 1) await wait(5)
    held[1]?.end('two')
    while (held.length < 3) await wait(5)
    held[2]?.end('three')
    expect((await third?.answer('GET'))?.text).to.equal('three')
  })
})

const bodyOf = (req: IncomingMessage): Promise<void> => new Promise(resolve => void req.once('end', resolve).resume())

describe('A waiting line', () => {
  /** One joins and another one is taken every so many milliseconds, for a second, while so many wait. */
  const lineOf = (length: number, msEach: number): WaitingLine<number> => {
    const line = new WaitingLine<number>()
    for (let i = 0; i < length; i++) line.push(i, 0)
    for (let now = msEach; now <= 1000; now += msEach) {
      line.push(now, now)
      line.take(now)
    }
    return line
  }

  it('is too long when the next one would wait for longer', () => {
    expect(lineOf(101, 1).isLongerThan(100, 1000, true)).to.equal(true)
    expect(lineOf(60, 2).isLongerThan(100, 1000, true)).to.equal(true)
  })

  it('is not too long when the next one would wait for less', () => {
    expect(lineOf(90, 1).isLongerThan(100, 1000, true)).to.equal(false)
    expect(lineOf(45, 2).isLongerThan(100, 1000, true)).to.equal(false)
  })

  it('is not too long as long as it has just formed, as after a burst', () => {
    const line = new WaitingLine<number>()
    for (let i = 0; i < 2000; i++) line.push(i, 0)
    for (let now = 1; now < 100; now++) line.take(now)
    expect(line.isLongerThan(200, 99, true)).to.equal(false)
    expect(line.isLongerThan(200, 100, true)).to.equal(true)
  })

  it('is too long when it has not been able to move for too long', () => {
    const line = new WaitingLine<number>()
    line.push(1, 0)
    expect(line.isLongerThan(100, 99, false)).to.equal(false)
    expect(line.isLongerThan(100, 101, false)).to.equal(true)
  })

  it('is not too long when only the event loop has not come to it', () => {
    const line = new WaitingLine<number>()
    line.push(1, 0)
    expect(line.isLongerThan(100, 1000, true)).to.equal(false)
  })

  it('is not too long when it is empty, however long it was', () => {
    const line = new WaitingLine<number>()
    line.push(1, 0)
    line.take(1000)
    expect(line.isLongerThan(100, 2000, true)).to.equal(false)
  })
})
