import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { PoliteResponse } from '@snippets/adapters-http/server/polite-response.js'
import { expect } from 'chai'
import { type Connection, openConnection } from '../../support/http/raw-http.js'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}'
const text = (headers = '') => `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`

describe('The short cut past what Node does for a response', () => {
  let server: Listening
  let client: Connection
  /** The requests that have arrived, in order. */
  let begun: PoliteResponse[]
  /** Their numbers, where Node knew of them when they began. */
  let knownToNode: number[]

  /** Answers are given by the test. */
  const start = async (limits: Partial<ServerLimits> = {}): Promise<void> => {
    begun = []
    knownToNode = []
    server = await listen(
      (_req, res) => {
        if (!(res instanceof PoliteResponse)) throw new Error('not the response of this server')
        if (res.socket !== null) knownToNode.push(begun.length)
        begun.push(res)
      },
      { host: '127.0.0.1', port: 0 },
      limits,
    )
    client = await openConnection(server.url)
  }
  afterEach(async () => {
    client.destroy()
    await server.stop(0)
  })

  const next = async (number = 0): Promise<PoliteResponse> => {
    while (begun[number] === undefined) await wait(1)
    return begun[number]
  }
  const answer = (res: PoliteResponse, body = 'ok'): boolean =>
    res.sendWhole(200, { 'Content-Length': body.length }, body, 'latin1')

  it('is taken by one ordinary request after another, with a body or without', async () => {
    await start()
    for (const [number, request] of [get, post, get, text('If-None-Match: "a"\r\n'), post].entries()) {
      client.send(request)
      const res = await next(number)
      let isFinished = false
      res.once('finish', () => {
        isFinished = true
      })
      while (!res.req.complete) await wait(1)
      expect(answer(res)).to.equal(true)
      expect(res).to.include({ closed: true, destroyed: true, writableEnded: true })
      expect((await client.answer('GET')).text).to.equal('ok')
      expect(isFinished).to.equal(false)
    }
    expect(knownToNode).to.deep.equal([])
    expect(server.load().inFlight).to.equal(0)
  })

  const others = {
    'that closes the connection': text('Connection: close\r\n'),
    'that expects 100 Continue': text('Expect: 100-continue\r\n'),
    'with a body in chunks': text('Transfer-Encoding: chunked\r\n').concat('0\r\n\r\n'),
    'of HTTP/1.0': 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
  }
  for (const [title, request] of Object.entries(others))
    it(`is not taken by a request ${title}`, async () => {
      await start()
      client.send(request)
      const res = await next()
      expect(knownToNode).to.deep.equal([0])
      res.end('ok')
      expect((await client.answer('GET')).text).to.equal('ok')
    })

  it('is not taken while somebody watches requests', async () => {
    await start()
    const seen: unknown[] = []
    const see = (message: unknown): void => void seen.push((message as { response: unknown }).response)
    subscribe('http.server.request.start', see)
    client.send(get)
    const res = await next()
    unsubscribe('http.server.request.start', see)
    expect(seen).to.include(res)
    res.end('ok')
    await client.answer('GET')
  })

  const leaves: Readonly<Record<string, (res: PoliteResponse) => unknown>> = {
    'is written in pieces': res => {
      res.write('o')
      res.end('k')
    },
    'is ended by Node': res => res.end('ok'),
    'has its head written first': res => {
      res.writeHead(200)
      res.end('ok')
    },
    'has a head that needs Node': res => {
      expect(res.sendWhole(200, { ETag: '"é"' }, 'ok', 'latin1')).to.equal(false)
      res.end('ok')
    },
  }
  for (const [title, write] of Object.entries(leaves))
    it(`is left when an answer ${title}`, async () => {
      await start()
      client.send(get)
      const res = await next()
      const finished = once(res, 'finish')
      write(res)
      expect((await client.answer('GET')).text).to.equal('ok')
      await finished
      client.send(get)
      expect(answer(await next(1))).to.equal(true)
      expect((await client.answer('GET')).text).to.equal('ok')
      expect(knownToNode).to.deep.equal([])
    })

  it('is left when a response is destroyed, which cuts the connection', async () => {
    await start()
    client.send(get)
    const res = await next()
    res.destroy()
    expect(await client.ended()).to.equal('closed')
  })

  it('is left when another request comes, so that the answers keep their order', async () => {
    await start()
    client.send(get)
    const first = await next()
    client.send(post + get)
    while (first.socket === null) await wait(1)
    answer(first, 'one')
    answer(await next(1), 'two')
    answer(await next(2), 'three')
    for (const expected of ['one', 'two', 'three']) expect((await client.answer('GET')).text).to.equal(expected)
  })

  it('is left when a request comes that is malformed, which is refused after the answer', async () => {
    await start()
    client.send(get)
    const first = await next()
    client.send('nonsense\r\n\r\n')
    await wait(50)
    answer(first)
    expect((await client.answer('GET')).text).to.equal('ok')
    expect((await client.answer('GET')).status).to.equal(400)
    expect(await client.ended()).to.equal('closed')
  })

  it('is left when the client closes its side, and still gets the answer, and what else it is due', async () => {
    await start()
    for (const [number, more] of ['', 'nonsense\r\n\r\n'].entries()) {
      const socket = connect({ port: Number(new URL(server.url).port), host: '127.0.0.1', allowHalfOpen: true })
      let received = ''
      socket.setEncoding('latin1').on('data', piece => {
        received += piece
      })
      socket.end(get + more)
      const res = await next(number)
      await wait(50)
      answer(res)
      await once(socket, 'end')
      expect(received).to.match(more === '' ? /\r\n\r\nok$/ : /\r\n\r\nokHTTP\/1.1 400 /)
    }
  })

  it('is left when the server stops, and the answer says that the connection closes', async () => {
    await start()
    client.send(get)
    const res = await next()
    const stopped = server.stop(5_000)
    if (!answer(res)) res.end('ok')
    expect((await client.answer('GET')).headers).to.include({ connection: 'close' })
    expect(await client.ended()).to.equal('closed')
    await stopped
  })

  it('ends when the client leaves: the response closes, and its place is free', async () => {
    await start()
    for (const [number, request] of [get, post, post.slice(0, -1)].entries()) {
      const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
      socket.write(request)
      const res = await next(number)
      const closed = once(res, 'close')
      socket.resetAndDestroy()
      await closed
      expect(res).to.include({ destroyed: true, writableEnded: false, writableFinished: false })
      expect(server.load().inFlight).to.equal(0)
      if (!answer(res)) res.end('too late')
    }
    expect(knownToNode).to.deep.equal([])
  })

  it('lets a request without a body end for whoever reads it', async () => {
    await start()
    client.send(get)
    const res = await next()
    const ended = once(res.req, 'end')
    res.req.resume()
    await ended
    answer(res)
    expect((await client.answer('GET')).text).to.equal('ok')
  })

  it('leaves nothing in the parser once a body has been answered', async () => {
    await start()
    client.send(post)
    const res = await next()
    const { parser } = res.req.socket as unknown as { parser: { incoming: unknown } }
    while (!res.req.complete) await wait(1)
    expect(parser.incoming).to.equal(res.req)
    answer(res)
    expect(parser.incoming).to.equal(null)
    await client.answer('POST')
  })

  it('waits for a client that does not read, and begins nothing more meanwhile', async () => {
    await start()
    client.pause()
    let number = 0
    for (let waits = 0; waits < 50; ) {
      client.send(get)
      waits = 0
      while (begun[number] === undefined && waits < 50) {
        await wait(1)
        waits++
      }
      if (begun[number] !== undefined) answer(begun[number++] as PoliteResponse, 'x'.repeat(8_000))
    }
    expect(server.load().inFlight).to.equal(1)
    client.resume()
    for (let i = 0; i < number; i++) expect((await client.answer('GET')).text).to.have.length(8_000)
    answer(await next(number))
    expect((await client.answer('GET')).text).to.equal('ok')
    expect(server.load().inFlight).to.equal(0)
  })

  it('sends interim responses before the answer', async () => {
    await start()
    client.send(get)
    const res = await next()
    res.writeProcessing()
    res.writeEarlyHints({ link: '</a>; rel=preload' })
    answer(res)
    expect((await client.answer('GET')).interim).to.deep.equal([102, 103])
  })

  it('leaves a timeout to a response that asks for one', async () => {
    await start()
    client.send(get)
    const res = await next()
    res.setTimeout(50, () => res.end('late'))
    expect((await client.answer('GET')).text).to.equal('late')
  })

  it('leaves alone the timeout that a listener has set on the socket', async () => {
    await start({ stallMs: 60_000 })
    client.send(get)
    const res = await next()
    res.req.socket.setTimeout(0)
    res.write('o')
    expect(res.req.socket.timeout).to.equal(0)
    res.end('k')
    expect((await client.answer('GET')).text).to.equal('ok')
  })
})
