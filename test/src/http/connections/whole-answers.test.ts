import type { OutgoingHttpHeaders, RequestListener } from 'node:http'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { PoliteResponse } from '@snippets/adapters-http/server/polite-response.js'
import { expect } from 'chai'
import { openConnection } from '../../support/http/raw-http.js'

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const usual: OutgoingHttpHeaders = { 'Content-Type': 'text/plain', 'Content-Length': 2, ETag: '"a"' }

describe('An answer that is sent whole', () => {
  let server: Listening
  let writes: number
  let wasSent: boolean | undefined

  beforeEach(() => {
    writes = 0
    wasSent = undefined
  })
  afterEach(() => server.stop(0))

  /** Sends the answer when the request has been read, and by Node where it cannot be sent whole. */
  const sending =
    (headers: OutgoingHttpHeaders, before: (res: PoliteResponse) => void = () => {}): RequestListener =>
    (_req, res) => {
      if (!(res instanceof PoliteResponse)) throw new Error('not the response of this server')
      setImmediate(() => {
        countWrites(res)
        before(res)
        wasSent = res.sendWhole(200, headers, 'ok', 'latin1')
        if (!wasSent) res.end('ok')
      })
    }

  const countWrites = ({ req: { socket } }: PoliteResponse): void => {
    socket.write = new Proxy(socket.write, {
      apply: (write, to, parts) => {
        writes++
        return Reflect.apply(write, to, parts)
      },
    })
  }

  const ask = async (listener: RequestListener, request = get): Promise<Readonly<Record<string, string>>> => {
    server = await listen(listener, { host: '127.0.0.1', port: 0 })
    const connection = await openConnection(server.url)
    connection.send(request)
    const { headers, text } = await connection.answer('GET')
    connection.destroy()
    expect(text).to.equal('ok')
    return headers
  }

  it('is one write', async () => {
    await ask(sending(usual))
    expect(wasSent).to.equal(true)
    expect(writes).to.equal(1)
  })

  it('has the head that Node would send', async () => {
    const { date = '', ...others } = await ask(sending(usual))
    await server.stop(0)
    const { date: byNode, ...othersByNode } = await ask((_req, res) => res.writeHead(200, usual).end('ok'))
    expect(others).to.deep.equal(othersByNode)
    expect(date).to.match(/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/)
    expect(Date.parse(byNode ?? '') - Date.parse(date)).to.be.within(0, 1000)
  })

  const notWhole: Readonly<Record<string, OutgoingHttpHeaders>> = {
    'a value with a line break': { ETag: 'a\r\nSet-Cookie: b' },
    'a value beyond ASCII': { ETag: '"é"' },
    'several values': { Link: ['<a>', '<b>'] },
  }
  for (const [title, headers] of Object.entries(notWhole))
    it(`is left to Node with ${title} in a header`, async () => {
      await ask(sending(headers))
      expect(wasSent).to.equal(false)
    })

  it('is left to Node where headers are set already', async () => {
    const headers = await ask(sending(usual, res => res.setHeader('X-Set', 'before')))
    expect(wasSent).to.equal(false)
    expect(headers['x-set']).to.equal('before')
  })

  const closing: Readonly<Record<string, string>> = {
    'asked to close': 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'of HTTP/1.0': 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n',
    'whose body is still to come': 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n',
  }
  for (const [title, request] of Object.entries(closing))
    it(`is left to Node on a connection ${title}`, async () => {
      await ask(sending(usual), request)
      expect(wasSent).to.equal(false)
    })
})
