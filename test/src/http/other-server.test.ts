import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApp } from '@snippets/adapters-http/app.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { useCases } from '@snippets/application/use-cases.js'
import { expect } from 'chai'
import { none } from 'fp-ts/lib/Option.js'
import { openConnection } from '../support/http/raw-http.js'
import { silentLog } from '../support/silent-log.js'

const head = 'POST /api/snippets/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
const body = '{"title":"t","code":"c","language":"l"}'

describe('The app on a plain node:http server', () => {
  let server: Server
  let url: string
  let latest: Promise<void> | undefined
  before(async () => {
    const { snippets, users } = memoryStorage({ users: [] })
    const app = createApp({
      useCases: useCases({ snippets, users, clock: { now: Date.now } }),
      log: silentLog,
      publicUrl: none,
      maxBodyBytes: 100,
      maxDelayMs: 60_000,
    })
    const listener = app.callback()
    server = createServer((req, res) => {
      latest = listener(req, res)
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const start = `${head}Transfer-Encoding: chunked\r\n\r\n`

  it('reads a body in pieces', async () => {
    const connection = await openConnection(url)
    connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`)
    connection.send(body.slice(5))
    expect((await connection.answer('POST')).status).to.equal(201)
    connection.destroy()
  })

  it('refuses a body that becomes too large', async () => {
    const connection = await openConnection(url)
    const piece = ' '.repeat(64)
    connection.send(`${start}40\r\n${piece}\r\n40\r\n${piece}\r\n`)
    expect((await connection.answer('POST')).status).to.equal(413)
    connection.destroy()
  })

  it('is done with a request whose client leaves in the middle of the body', async () => {
    const arrival = once(server, 'request')
    const connection = await openConnection(url)
    connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`)
    await arrival
    connection.destroy()
    await latest
  })
})
