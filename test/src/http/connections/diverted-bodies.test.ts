import { once } from 'node:events'
import type { IncomingMessage, RequestListener } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { type BodySink, GatheredRequest } from '@snippets/adapters-http/server/gathered-request.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { type Connection, openConnection } from '../../support/http/raw-http.js'

const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\n'

/** Notes what it is told, and takes this many bytes. */
const recorder = (wanted = Number.POSITIVE_INFINITY) => {
  const told: string[] = []
  let over = (): void => {}
  const whole = new Promise<void>(resolve => {
    over = resolve
  })
  const tell = (end: string): void => {
    told.push(end)
    over()
  }
  const sink: BodySink = {
    take: piece => told.push(piece.toString()) > 0 && told.join('').length <= wanted,
    end: () => tell('end'),
    lose: () => tell('lost'),
  }
  return { told, whole, sink }
}

const divert = (req: IncomingMessage, sink: BodySink): void => {
  expect(req).to.be.instanceOf(GatheredRequest)
  if (req instanceof GatheredRequest) req.divert(sink)
}

describe('A body that is diverted from its stream', () => {
  let server: Listening
  let connection: Connection
  const serve = async (listener: RequestListener): Promise<void> => {
    server = await listen(listener, { host: '127.0.0.1', port: 0 })
    connection = await openConnection(server.url)
  }
  afterEach(async () => {
    connection.destroy()
    await server.stop(0)
  })

  it('begins with what arrived before', async () => {
    const { told, whole, sink } = recorder()
    await serve(async (req, res) => {
      while (req.readableLength < 3) await wait(1)
      divert(req, sink)
      connection.send('def')
      await whole
      res.end()
    })
    connection.send(`${post}abc`)
    await connection.answer('POST')
    expect(told).to.deep.equal(['abc', 'def', 'end'])
  })

  it('begins with the small pieces that were gathered', async () => {
    const { told, whole, sink } = recorder()
    await serve(async (req, res) => {
      while (req.readableLength < 1) await wait(1)
      connection.send('bc')
      while (req.socket.bytesRead < post.length + 3) await wait(1)
      divert(req, sink)
      connection.send('def')
      await whole
      res.end()
    })
    connection.send(`${post}a`)
    await connection.answer('POST')
    expect(told).to.deep.equal(['abc', 'def', 'end'])
  })

  it('ends at once when all of it has arrived', async () => {
    const { told, sink } = recorder()
    await serve(async (req, res) => {
      while (!req.complete) await wait(1)
      divert(req, sink)
      res.end()
    })
    connection.send(`${post}abcdef`)
    await connection.answer('POST')
    expect(told).to.deep.equal(['abcdef', 'end'])
  })

  it('goes to the stream again when no more is wanted', async () => {
    const { told, sink } = recorder(2)
    const streamed: string[] = []
    await serve(async (req, res) => {
      divert(req, sink)
      while (told.length === 0) await wait(1)
      req.on('data', piece => streamed.push(String(piece)))
      connection.send('def')
      await once(req, 'end')
      res.end()
    })
    connection.send(`${post}abc`)
    await connection.answer('POST')
    expect([told, streamed]).to.deep.equal([['abc'], ['def']])
  })

  it('is lost when the client leaves', async () => {
    const { told, whole, sink } = recorder()
    await serve(req => {
      divert(req, sink)
      connection.destroy()
    })
    connection.send(`${post}abc`)
    await whole
    expect(told.at(-1)).to.equal('lost')
  })

  it('is lost when the client has left', async () => {
    const { told, whole, sink } = recorder()
    await serve(async req => {
      connection.destroy()
      while (!req.destroyed) await wait(1)
      divert(req, sink)
    })
    connection.send(`${post}abc`)
    await whole
    expect(told.at(-1)).to.equal('lost')
  })
})
