import type { RequestListener } from 'node:http'
import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { closes } from '../../support/http/http-client.js'
import { openConnection } from '../../support/http/raw-http.js'
import { get, post, snippetText } from '../../support/http/wire.js'
import { closedGate, gatedPages } from '../../support/service/gate.js'
import { serveOnFreePort } from '../../support/service/in-process.js'
import { servicePerTest } from '../../support/service/mocha-service.js'

const page = '/api/snippets-viewset/'
const snippets = '/api/snippets/'
const users = '/api/users/'
const grace = 600_000
const creation = { method: 'POST', target: snippets }

describe('A stopping service', function () {
  this.timeout(30_000)
  const start = servicePerTest()

  const startBusy = async () => {
    const gate = closedGate()
    const service = await start({ store: gatedPages(gate) })
    const busy = await service.client.connect()
    const send = async (bytes: string): Promise<void> => {
      const arrival = gate.arrival()
      busy.send(bytes)
      await arrival
    }
    return { ...service, busy, send, gate }
  }

  it('answers every received request, closes after the last, and accepts no new connection', async () => {
    const { client, busy, send, gate, shutDown } = await startBusy()
    await send(get(page) + get(users) + post(snippets))
    const stopped = shutDown(grace)
    gate.open()
    const responses = [
      await busy.requestRaw('', { method: 'GET', target: page }),
      await busy.requestRaw('', { method: 'GET', target: users }),
      await busy.requestRaw('', creation),
    ]
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 201])
    expect(responses.map(closes)).to.deep.equal([false, false, true])
    expect(await busy.ended()).to.equal('closed')
    await stopped
    const refused = await client.connect().catch((error: NodeJS.ErrnoException) => error.code)
    expect(refused).to.equal('ECONNREFUSED')
  })

  const untilRefused = (url: string): Promise<void> =>
    // the stop would wait for a client that does not read its response
    eventually(() =>
      fetch(url)
        .then(response => response.arrayBuffer())
        .then(() => false, Boolean),
    )

  const long = post(snippets, snippetText.padEnd(20_000))
  for (const [what, begun] of [
    ['whose body is still arriving', long.slice(0, -5)],
    ['that is the first on an open connection', ''],
  ] as const)
    it(`answers a request ${what}`, async () => {
      const { client, url, connections, bodyBytes, shutDown } = await start()
      const connection = await client.connect()
      await eventually(() => connections() === 1)
      connection.send(begun)
      if (begun !== '') await eventually(() => bodyBytes() > 0)
      const stopped = shutDown(grace)
      await untilRefused(url)
      const response = await connection.requestRaw(long.slice(begun.length), creation)
      expect([response.status, closes(response)]).to.deep.equal([201, true])
      await stopped
    })

  it('does not wait for connections that are idle or silent, and leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter(type => type === 'Timeout').length
    const { client, shutDown } = await start()
    const [silent, idle, idleAfterEmptyLine] = [await client.connect(), await client.connect(), await client.connect()]
    await idle.request({ method: 'GET', target: users })
    await idleAfterEmptyLine.request({ method: 'GET', target: users })
    idleAfterEmptyLine.send('\r\n')
    const before = timers()
    await shutDown(grace)
    expect(timers()).to.be.at.most(before)
    for (const connection of [silent, idle, idleAfterEmptyLine]) expect(await connection.ended()).to.equal('closed')
  })

  it('sends Connection: close in every response from the signal on, and goes on serving', async () => {
    const { client, busy, send, gate, announceStop } = await startBusy()
    await send(get(page))
    announceStop()
    gate.open()
    expect(closes(await busy.requestRaw('', { method: 'GET', target: page }))).to.equal(true)
    const response = await client.get(users)
    expect([response.status, closes(response)]).to.deep.equal([200, true])
  })

  it('answers clients in the accept queue', async () => {
    const { url, shutDown } = await start()
    const clients = await Promise.all(Array.from({ length: 20 }, () => openConnection(url)))
    for (const client of clients) client.send(get(users))
    const stopped = shutDown(grace)
    const responses = await Promise.all(clients.map(client => client.response('GET')))
    expect(responses.every(({ status }) => status === 200)).to.equal(true)
    await stopped
  })

  it('holds responses back until the accept queue is empty', async () => {
    let served = 0
    const count: RequestListener = (_req, res) => {
      served++
      res.end()
    }
    const server = await serveOnFreePort(count)
    let isStopping = false
    const answersAfterStop = async (): Promise<number> => {
      for (let count = 0; ; count += isStopping ? 1 : 0) {
        const response = await openConnection(server.url)
          .then(connection => {
            connection.send(get('/', 'Connection: close'))
            return connection.response('GET')
          })
          .catch(() => undefined)
        if (response === undefined) return count
      }
    }
    const clients = Array.from({ length: 8 }, answersAfterStop)
    await eventually(() => served > 20)
    isStopping = true
    await server.stop(grace)
    for (const count of await Promise.all(clients)) expect(count).to.be.at.most(2)
  })

  it('waits for a client that is still reading its response, but not for a silent one', async () => {
    const length = 10_000_000
    let hasBegun = false
    const server = await serveOnFreePort((_req, res) => {
      res.end(Buffer.alloc(length))
      hasBegun = true
    })
    const connection = await openConnection(server.url)
    const silent = await openConnection(server.url)
    connection.pause()
    connection.send(get('/'))
    await eventually(() => hasBegun)
    const stopped = server.stop(grace)
    // connections without a request have ended by then
    await silent.ended()
    connection.resume()
    expect((await connection.response('GET')).body.length).to.equal(length)
    await stopped
  })
})
