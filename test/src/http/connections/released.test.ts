import type { RequestListener, ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Listening, listen } from '@snippets/adapters-http/server/listen.js'
import { expect } from 'chai'
import { type Connection, openConnection } from '../../support/http/raw-http.js'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const get = (headers = '') => `GET / HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'
const upgrade = get('Connection: Upgrade\r\nUpgrade: h2c\r\n')

describe('On a connection that stays open', () => {
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

  it('nothing keeps an exchange once it is over', async () => {
    const exchanges: WeakRef<ServerResponse>[] = []
    await serve((req, res) => {
      exchanges.push(new WeakRef(res))
      req.resume().once('end', () => res.end('x'.repeat(100_000)))
    })
    for (const request of [post, get(), upgrade, post, get(), get()]) {
      connection.send(request)
      await connection.answer(request.slice(0, request.indexOf(' ')))
    }
    expect(exchanges).to.have.length(6)
    while (exchanges.some(exchange => exchange.deref() !== undefined)) {
      await wait(10)
      collect()
    }
  })

  it('requests to upgrade leave no listener behind', async () => {
    const counts: number[] = []
    await serve(({ socket }, res) => {
      counts.push(socket.listenerCount('drain') + socket.listenerCount('timeout'))
      res.end()
    })
    for (let i = 0; i < 5; i++) {
      connection.send(upgrade)
      await connection.answer('GET')
    }
    expect(counts.slice(1)).to.deep.equal(Array(4).fill(counts[0]))
  })
})
