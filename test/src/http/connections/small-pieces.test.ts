import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { closes } from '../../support/http/http-client.js'
import { openConnection } from '../../support/http/raw-http.js'
import { snippetOf } from '../../support/http/representations.js'
import { owned } from '../../support/owned-child.js'
import { sharedService } from '../../support/service/mocha-service.js'

const post = 'POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`
const created = { method: 'POST', target: '/api/snippets/' }

const inChunks = (body: Buffer, length = 1): Buffer => {
  const size = Buffer.from(`${length.toString(16)}\r\n`)
  const whole = size.length + length + 2
  const count = Math.floor(body.length / length)
  const chunks = Buffer.alloc(count * whole)
  for (let i = 0; i < count; i++) {
    const at = i * whole
    size.copy(chunks, at)
    body.copy(chunks, at + size.length, i * length, (i + 1) * length)
    chunks.write('\r\n', at + whole - 2)
  }
  const rest = body.subarray(count * length)
  return rest.length === 0 ? chunks : Buffer.concat([chunks, inChunks(rest, rest.length)])
}
const last = '0\r\n\r\n'

/** A snippet with code points of one to four bytes, and white space around it up to the length. */
const code = 'aé€😀'.repeat(1000)
const snippet = (length: number): Buffer => {
  const json = Buffer.from(JSON.stringify({ title: 't', code, language: 'l' }))
  return Buffer.concat([json, Buffer.alloc(length - json.length, ' ')])
}

const serve = (listener: RequestListener): Promise<Listening> => listen(listener, { host: '127.0.0.1', port: 0 })

describe('The pieces of a body', () => {
  let server: Listening
  before(async () => {
    const echo = async (req: AsyncIterable<Buffer>): Promise<string> => {
      const pieces: Buffer[] = []
      for await (const piece of req) pieces.push(piece)
      return JSON.stringify({ lengths: pieces.map(piece => piece.length), body: Buffer.concat(pieces).toString() })
    }
    server = await serve((req, res) => void echo(req).then(text => res.end(text)))
  })
  after(() => server.stop(0))

  const piecesOf = async (head: string, ...packets: readonly (string | Buffer)[]) => {
    const connection = await openConnection(server.url)
    connection.send(head)
    for (const packet of packets) {
      connection.send(packet)
      await new Promise(setImmediate)
    }
    const { text } = await connection.answer('POST')
    connection.destroy()
    const { lengths, body }: { lengths: readonly number[]; body: string } = JSON.parse(text)
    return { lengths, body }
  }
  const body = snippet(30_000)

  it('reach a handler by the thousand bytes when they are sent in chunks of one', async () => {
    const pieces = await piecesOf(chunked, Buffer.concat([inChunks(body), Buffer.from(last)]))
    expect(pieces.body).to.equal(body.toString())
    expect(pieces.lengths).to.have.length.at.most(10)
  })

  it('reach a handler by the thousand bytes when they are sent in packets of ten', async () => {
    const packets = Array.from({ length: 3000 }, (_, i) => body.subarray(10 * i, 10 * (i + 1)))
    const pieces = await piecesOf(`${post}Content-Length: ${body.length}\r\n\r\n`, ...packets)
    expect(pieces.body).to.equal(body.toString())
    expect(pieces.lengths).to.have.length.at.most(10)
  })

  for (const lengths of [
    [1, 1024],
    [1, 5000, 1],
    [4096, 1, 4095, 1],
    [1023, 1023, 1023, 1023, 1023],
    [1024, 1],
    [3, 70_000, 2],
  ])
    it(`stay in order in chunks of ${lengths.join(', ')} by turns`, async () => {
      const chunks: Buffer[] = []
      for (let at = 0, i = 0; at < body.length; i++) {
        const length = lengths[i % lengths.length] ?? 1
        chunks.push(inChunks(body.subarray(at, at + length), length))
        at += length
      }
      expect((await piecesOf(chunked, Buffer.concat([...chunks, Buffer.from(last)]))).body).to.equal(body.toString())
    })

  it('are held back while nobody reads them, and go on when somebody does', async () => {
    let unread = 0
    const lazy = await serve(async (req, res) => {
      while (unread < req.readableLength || unread === 0) {
        unread = req.readableLength
        await wait(300)
      }
      let length = 0
      for await (const piece of req) length += piece.length
      res.end(String(length))
    })
    const connection = await openConnection(lazy.url)
    connection.send(chunked)
    const chunks = inChunks(snippet(100_000))
    for (let i = 0; i < 10; i++) connection.send(chunks)
    connection.send(last)
    expect((await connection.answer('POST')).text).to.equal('1000000')
    expect(unread).to.be.lessThan(300_000)
    connection.destroy()
    await lazy.stop(0)
  })

  it('do not cost a request behind them that follows an upgrade', async () => {
    const late = await serve(async (req, res) => {
      for await (const _ of req);
      if (req.method === 'POST') await wait(100)
      res.end(req.url)
    })
    const connection = await openConnection(late.url)
    const upgrade = 'GET /upgrade HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n'
    connection.send(
      Buffer.concat([Buffer.from(chunked), inChunks(body.subarray(0, 2000)), Buffer.from(last + upgrade)]),
    )
    await wait(20)
    connection.send('GET /behind HTTP/1.1\r\nHost: x\r\n\r\n')
    expect((await connection.answer('POST')).text).to.equal('/api/snippets/')
    expect((await connection.answer('GET')).text).to.equal('/upgrade')
    expect((await connection.answer('GET')).text).to.equal('/behind')
    connection.destroy()
    await late.stop(0)
  })
})

describe('A body in chunks of one byte', () => {
  const service = sharedService()

  it('arrives intact', async () => {
    const connection = await service.client.connect()
    const bytes = Buffer.concat([Buffer.from(chunked), inChunks(snippet(100_000)), Buffer.from(last)])
    expect(snippetOf(await connection.askRaw(bytes, created)).code).to.equal(code)
    expect((await connection.ask({ method: 'GET', target: '/api/snippets/' })).status).to.equal(200)
  })

  it('is refused when it is too large', async () => {
    const connection = await service.client.connect()
    const bytes = Buffer.concat([Buffer.from(chunked), inChunks(snippet(300_000)), Buffer.from(last)])
    const answer = await connection.askRaw(bytes, created)
    expect(answer.status).to.equal(413)
    expect(closes(answer)).to.equal(true)
    expect(await connection.ended()).to.equal('closed')
  })

  it('costs little more memory than its length while the rest is on its way', async function () {
    this.timeout(60_000)
    const script = fileURLToPath(new URL('../../support/service/measured-service.js', import.meta.url))
    const child = owned(fork(script, { execArgv: ['--expose-gc'] }))
    const [url]: string[] = await once(child, 'message')
    const held = async (): Promise<number> => {
      child.send('measure')
      const [bytes]: number[] = await once(child, 'message')
      return bytes ?? Number.NaN
    }
    const body = snippet(100_000)
    const before = await held()
    const connections = await Promise.all(Array.from({ length: 20 }, () => openConnection(url ?? '')))
    const bytes = Buffer.concat([Buffer.from(chunked), inChunks(body)])
    for (const connection of connections) connection.send(bytes)
    let growth = 0
    for (let now = await held(); now - before > growth; now = await held()) {
      growth = now - before
      await wait(500)
    }
    expect(growth)
      .to.be.greaterThan(0)
      .and.lessThan(20 * body.length * 6)
    for (const connection of connections) {
      connection.send(last)
      expect((await connection.answer('POST')).status).to.equal(201)
      connection.destroy()
    }
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
})
