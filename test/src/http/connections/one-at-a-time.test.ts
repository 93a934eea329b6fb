import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as wait } from 'node:timers/promises'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { bytesOf, type CheckedConnection, closes, type Headers } from '../../support/http/http-client.js'
import { snippetsOf } from '../../support/http/representations.js'
import { closedGate, type Gate, gatedPages } from '../../support/service/gate.js'
import { servicePerTest, sharedService } from '../../support/service/mocha-service.js'

const page = '/api/snippets-viewset/?page_size=100'
const list = '/api/snippets/'
const users = '/api/users/'
const content = JSON.stringify({ title: 't', code: 'x'.repeat(10_000), language: 'l' })

describe('Of pipelined requests, the service', function () {
  this.timeout(30_000)
  let started: number
  let inFlight: number
  let most: number
  /** Page reads wait here while there is one. */
  let gate: Gate | undefined
  const watched = (memory: SnippetStore): SnippetStore => ({
    ...memory,
    page: query => async () => {
      started++
      most = Math.max(most, ++inFlight)
      await (gate === undefined ? new Promise(setImmediate) : gate.pass())
      inFlight--
      return memory.page(query)()
    },
  })
  const service = sharedService({ store: watched })
  let connection: CheckedConnection
  before(async () => {
    for (let i = 0; i < 100; i++) await service.client.post(list, content)
  })
  beforeEach(async () => {
    started = inFlight = most = 0
    gate = undefined
    connection = await service.client.connect()
  })

  const host = (): string => new URL(service.url).host
  const get = (headers: Headers = {}): Buffer => bytesOf({ method: 'GET', target: page, headers }, host())
  const post = (more: Headers = {}): Buffer => {
    const headers = { 'Content-Type': 'application/json', ...more }
    return bytesOf({ method: 'POST', target: list, body: content, headers }, host())
  }
  const answerTo = (method: string, target: string) => connection.askRaw('', { method, target })
  const countSnippets = async (): Promise<number> => snippetsOf(await service.client.get(list)).length
  /** Sends it all behind a page read that waits at the gate. */
  const sendBehindSlowRead = async (...behind: readonly Buffer[]): Promise<Gate> => {
    const slow = closedGate()
    gate = slow
    const arrival = slow.arrival()
    connection.send(Buffer.concat([get(), ...behind]))
    await arrival
    return slow
  }

  it('handles one at a time', async () => {
    connection.send(Buffer.concat(Array.from({ length: 100 }, () => get())))
    for (let i = 0; i < 100; i++) expect((await answerTo('GET', page)).status).to.equal(200)
    expect(started).to.equal(100)
    expect(most).to.equal(1)
  })

  it('begins the next only when the client has read the answers before it', async () => {
    connection.pause()
    connection.send(Buffer.concat(Array.from({ length: 200 }, () => get())))
    let seen = -1
    while (seen !== started || started === 0) {
      seen = started
      await wait(250)
    }
    expect(started).to.be.lessThan(50)
    connection.resume()
    for (let i = 0; i < 200; i++) expect((await answerTo('GET', page)).status).to.equal(200)
  })

  it('answers all, in order, when they come in many packets', async () => {
    const ids = Array.from({ length: 2000 }, (_, i) => `request-${i}`)
    const requests = ids.map(id => bytesOf({ method: 'GET', target: users, headers: { 'X-Request-Id': id } }, host()))
    connection.send(Buffer.concat(requests))
    for (const id of ids) expect((await answerTo('GET', users)).headers['x-request-id']).to.equal(id)
  })

  it('leaves most of a packet unread while the first is handled', async () => {
    const getUsers = bytesOf({ method: 'GET', target: users }, host())
    let parsed = 0
    const count = (): void => void parsed++
    subscribe('http.server.request.start', count)
    try {
      const slow = await sendBehindSlowRead(...Array.from({ length: 500 }, () => getUsers))
      await wait(50)
      expect(parsed).to.be.lessThan(30)
      gate = undefined
      slow.open()
      expect((await answerTo('GET', page)).status).to.equal(200)
      for (let i = 0; i < 500; i++) expect((await answerTo('GET', users)).status).to.equal(200)
      expect(parsed).to.equal(501)
    } finally {
      unsubscribe('http.server.request.start', count)
    }
  })

  it('reads the bodies of many', async () => {
    const count = await countSnippets()
    const slow = await sendBehindSlowRead(...Array.from({ length: 60 }, (_, i) => (i % 2 ? get() : post())))
    gate = undefined
    slow.open()
    expect((await answerTo('GET', page)).status).to.equal(200)
    for (let i = 0; i < 60; i++)
      expect((await answerTo(i % 2 ? 'GET' : 'POST', i % 2 ? page : list)).status).to.equal(i % 2 ? 200 : 201)
    expect(await countSnippets()).to.equal(count + 30)
  })

  it('reads the bodies', async () => {
    const count = await countSnippets()
    const slow = await sendBehindSlowRead(post(), post())
    slow.open()
    expect((await answerTo('GET', page)).status).to.equal(200)
    expect((await answerTo('POST', list)).status).to.equal(201)
    expect((await answerTo('POST', list)).status).to.equal(201)
    expect(await countSnippets()).to.equal(count + 2)
  })

  it('reads a body that arrives later', async () => {
    const bytes = post()
    const slow = await sendBehindSlowRead(bytes.subarray(0, 1000))
    connection.send(bytes.subarray(1000, 2000))
    await wait(20)
    slow.open()
    expect((await answerTo('GET', page)).status).to.equal(200)
    connection.send(bytes.subarray(2000))
    expect((await answerTo('POST', list)).status).to.equal(201)
  })

  it('answers 100 Continue to one that expects it', async () => {
    const bytes = post({ Expect: '100-continue' })
    const head = bytes.indexOf('\r\n\r\n') + 4
    const slow = await sendBehindSlowRead(bytes.subarray(0, head))
    slow.open()
    expect((await answerTo('GET', page)).status).to.equal(200)
    connection.send(bytes.subarray(head))
    const created = await answerTo('POST', list)
    expect(created.status).to.equal(201)
    expect(created.interim).to.deep.equal([100])
  })

  it('begins none behind an answer that closes the connection', async () => {
    const count = await countSnippets()
    connection.send(Buffer.concat([get({ Connection: 'close' }), post()]))
    const last = await answerTo('GET', page)
    expect(last.status).to.equal(200)
    expect(closes(last)).to.equal(true)
    connection = await service.client.connect()
    connection.send(Buffer.concat([get({ Expect: 'miracles' }), post(), post()]))
    expect((await answerTo('GET', page)).status).to.equal(417)
    expect(await connection.ended()).to.equal('closed')
    expect(await countSnippets()).to.equal(count)
  })

  it('begins none once the client has left', async () => {
    const count = await countSnippets()
    const slow = await sendBehindSlowRead(get(), post())
    connection.destroy()
    await wait(20)
    slow.open()
    await wait(20)
    expect(started).to.equal(1)
    expect(await countSnippets()).to.equal(count)
  })
})

describe('A service that shuts down while pipelined requests wait', () => {
  const start = servicePerTest()

  it('answers them all and closes the connection after the last', async () => {
    const gate = closedGate()
    const { client, url, shutDown } = await start({ store: gatedPages(gate) })
    await client.description()
    const connection = await client.connect()
    const arrival = gate.arrival()
    const targets = [page, users, users]
    connection.send(Buffer.concat(targets.map(target => bytesOf({ method: 'GET', target }, new URL(url).host))))
    await arrival
    const stopped = shutDown(10_000)
    gate.open()
    const closing: boolean[] = []
    for (const target of targets) closing.push(closes(await connection.askRaw('', { method: 'GET', target })))
    expect(closing).to.deep.equal([false, false, true])
    expect(await connection.ended()).to.equal('closed')
    await stopped
  })
})
