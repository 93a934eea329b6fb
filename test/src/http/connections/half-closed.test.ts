import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { bytesOf } from '../../support/http/http-client.js'
import { twentyMegabytes } from '../../support/long-list.js'
import { sharedService } from '../../support/service/mocha-service.js'

describe('To a client that closes its side at once, the service', () => {
  const service = sharedService({
    store: memory => ({
      ...memory,
      all: twentyMegabytes,
      // so that the client has closed its side by then
      create: draft => () => wait(50).then(memory.create(draft)),
    }),
  })
  let socket: Socket | undefined
  afterEach(() => socket?.destroy())

  /** Like `nc -N`: sends it all, closes its side, and reads until the server closes. */
  const exchange = async (...requests: readonly (string | Buffer)[]): Promise<string> => {
    const { hostname, port } = new URL(service.url)
    socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    socket.end(Buffer.concat(requests.map(request => Buffer.from(request))))
    const pieces: Buffer[] = []
    for await (const piece of socket) pieces.push(piece)
    return Buffer.concat(pieces).toString()
  }
  const get = (target: string): Buffer => bytesOf({ method: 'GET', target }, new URL(service.url).host)

  it('sends a whole list', async () => {
    const text = await exchange(get('/api/snippets/'))
    expect(text)
      .to.match(/^HTTP\/1.1 200 OK\r\n/)
      .and.match(/\]\}\r\n0\r\n\r\n$/)
    expect(text.length).to.be.greaterThan(20_000_000)
  })

  it('sends the answers to all its pipelined requests', async () => {
    const text = await exchange(get('/api/snippets/'), get('/nowhere/'), get('/api/snippets/'), get('/api/users/'))
    expect(text.match(/HTTP\/1.1 \d+/g)).to.deep.equal(['200', '404', '200', '200'].map(status => `HTTP/1.1 ${status}`))
    expect(text).to.match(/"results":\[\]\}$/)
  })

  it('sends the answers that come after it, where an earlier request took long', async () => {
    const slow = { title: 't', code: 'c', language: 'slow' }
    const { host } = new URL(service.url)
    const create = bytesOf(
      {
        method: 'POST',
        target: '/api/snippets/',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(slow),
      },
      host,
    )
    const upgrade = `GET /api/users/ HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n`
    for (const others of [[upgrade], [upgrade, get('/nowhere/')], Array(5).fill(get('/api/users/'))]) {
      const text = await exchange(create, ...others)
      expect(text.match(/HTTP\/1.1 \d+/g)).to.have.length(1 + others.length)
    }
  })

  it('answers 400 to half a request', async () => {
    expect(await exchange('GET /api/users/ HTTP/1.1\r\nHos')).to.match(/^HTTP\/1.1 400 /s)
    expect(await exchange(get('/api/users/'), 'GET /api/users/')).to.match(/^HTTP\/1.1 200 .*HTTP\/1.1 400 /s)
  })
})
