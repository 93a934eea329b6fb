import { setTimeout as wait } from 'node:timers/promises'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { openConnection } from '../../support/http/raw-http.js'

describe('A client that does not read its answer', () => {
  let server: Listening
  before(async () => {
    const large = 'x'.repeat(50_000_000)
    server = await listen((_req, res) => res.end(large), { host: '127.0.0.1', port: 0 }, { stallMs: 100 })
  })
  after(() => server.stop(0))

  for (const [what, bytes] of [
    ['one request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['pipelined requests', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10)],
    ['CONNECT behind a request', 'GET / HTTP/1.1\r\nHost: x\r\n\r\nCONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ] as const)
    it(`is cut off after ${what}`, async () => {
      const connection = await openConnection(server.url)
      connection.pause()
      connection.send(bytes)
      while (server.load().inFlight === 0) await wait(5)
      while (server.load().inFlight > 0) await wait(5)
      connection.resume()
      expect((await connection.attempt('GET')).complete).to.equal(false)
    })
})
