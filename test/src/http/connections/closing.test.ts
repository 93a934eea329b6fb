import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { type CheckedConnection, closes } from '../../support/http/http-client.js'
import { type Connection, openConnection } from '../../support/http/raw-http.js'
import { sharedService } from '../../support/service/mocha-service.js'

const users = '/api/users/'
const closing = `GET ${users} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`
const get = `GET ${users} HTTP/1.1\r\nHost: x\r\n\r\n`

describe('On a connection that is to be closed, the service', () => {
  const service = sharedService()
  let connection: CheckedConnection
  beforeEach(async () => {
    connection = await service.client.connect()
  })

  for (const [what, ...packets] of [
    ['garbage', `${closing}\r\nthis is no request\r\n\r\n`],
    ['garbage in a packet of its own', `${closing}\r\n`, 'this is no request\r\n\r\n'],
    ['a broken chunk', `${closing}Transfer-Encoding: chunked\r\n\r\nzz\r\n`],
    ['a broken chunk in a packet of its own', `${closing}Transfer-Encoding: chunked\r\n\r\n`, 'zz\r\n'],
    ['CONNECT', `${closing}\r\nCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['a hundred requests', `${closing}\r\n${get.repeat(100)}`],
  ] as const)
    it(`sends one whole answer, and nothing for ${what} behind it`, async () => {
      await service.client.description()
      for (const packet of packets) {
        connection.send(packet)
        await service.client.get(users)
      }
      const answer = await connection.askRaw('', { method: 'GET', target: users })
      expect(answer.status).to.be.oneOf([200, 400])
      expect(closes(answer)).to.equal(true)
      expect(await connection.ended()).to.equal('closed')
    })

  for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'])
    it(`answers 404 to ${method} whole, whatever becomes of the body`, async () => {
      const head = `${method} /nowhere/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`
      const answer = await connection.askRaw(head, { method, target: '/nowhere/' })
      expect(answer.status).to.equal(404)
      connection.send('zz\r\n')
      expect(await connection.ended()).to.equal('closed')
    })
})

describe('A request that was answered before its body had come', () => {
  let server: Listening
  let connection: Connection
  const answered = async (framing: string, limits?: Partial<ServerLimits>): Promise<void> => {
    server = await listen((_req, res) => void res.end(), { host: '127.0.0.1', port: 0 }, limits)
    connection = await openConnection(server.url)
    connection.send(`POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`)
    expect((await connection.answer('POST')).status).to.equal(200)
  }
  afterEach(() => {
    connection.destroy()
    return server.stop(0)
  })

  it('gets no second answer when its body breaks', async () => {
    await answered('Transfer-Encoding: chunked')
    connection.send('zz\r\n')
    expect(await connection.ended()).to.equal('closed')
  })

  it('gets no second answer when its body does not come in time', async () => {
    await answered('Content-Length: 100', { headMs: 100, requestMs: 100 })
    expect(await connection.ended()).to.equal('closed')
  })
})
