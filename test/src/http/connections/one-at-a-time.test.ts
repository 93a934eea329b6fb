import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import {
  bytesOf,
  type CheckedConnection,
  type Client,
  closes,
  type Headers,
  httpClient,
} from '../../support/http/http-client.js'
import { snippetsOf } from '../../support/http/representations.js'
import { type Service, startService } from '../../support/service/in-process.js'

const page = '/api/snippets-viewset/?page_size=100'
const list = '/api/snippets/'
const content = JSON.stringify({ title: 't', code: 'x'.repeat(10_000), language: 'l' })

describe('pipelined requests', function () {
  this.timeout(30_000)
  let service: Service
  let client: Client
  let connection: CheckedConnection
  let started: number
  let underWay: number
  let most: number
  /** Holds page reads back while it is shut. */
  let gate: EventEmitter | undefined

  const watched = (memory: SnippetStore): SnippetStore => ({
    ...memory,
    page: query => async () => {
      started++
      most = Math.max(most, ++underWay)
      gate?.emit('asked')
      await (gate === undefined ? new Promise(setImmediate) : once(gate, 'open'))
      underWay--
      return memory.page(query)()
    },
  })

  before(async () => {
    service = await startService({ store: watched })
    client = httpClient(service.url)
    for (let i = 0; i < 100; i++) await client.post(list, content)
  })
  beforeEach(async () => {
    started = underWay = most = 0
    gate = undefined
    connection = await client.connect()
  })
  after(async () => {
    client.close()
    await service.stop()
  })

  const host = (): string => new URL(service.url).host
  const get = (headers?: Headers): Buffer =>
    bytesOf({ method: 'GET', target: page, ...(headers && { headers }) }, host())
  const post = (headers: Headers = {}): Buffer =>
    bytesOf(
      { method: 'POST', target: list, body: content, headers: { 'Content-Type': 'application/json', ...headers } },
      host(),
    )
  const answerTo = (method: string, target: string) => connection.askRaw('', { method, target })
  const countOf = async (): Promise<number> => snippetsOf(await client.get(list)).length
  /** Sends it all behind a page read that does not end before the gate opens. */
  const sendBehindSlowRead = async (...behind: readonly Buffer[]): Promise<EventEmitter> => {
    const slow = new EventEmitter()
    gate = slow
    const asked = once(slow, 'asked')
    connection.send(Buffer.concat([get(), ...behind]))
    await asked
    return slow
  }

  it('are handled one at a time', async () => {
    connection.send(Buffer.concat(Array.from({ length: 100 }, () => get())))
    for (let i = 0; i < 100; i++) expect((await answerTo('GET', page)).status).to.equal(200)
    expect(started).to.equal(100)
    expect(most).to.equal(1)
  })

  it('wait until the client has read the answers before them', async () => {
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

  it('are all answered when they come in many packets', async () => {
    const requests = Array.from({ length: 2000 }, (_, i) =>
      bytesOf({ method: 'GET', target: '/api/users/', headers: { 'X-Request-Id': `request-${i}` } }, host()),
    )
    connection.send(Buffer.concat(requests))
    for (let i = 0; i < 2000; i++)
      expect((await answerTo('GET', '/api/users/')).headers['x-request-id']).to.equal(`request-${i}`)
  })

  it('may have a body', async () => {
    const count = await countOf()
    const slow = await sendBehindSlowRead(post(), post())
    slow.emit('open')
    expect((await answerTo('GET', page)).status).to.equal(200)
    expect((await answerTo('POST', list)).status).to.equal(201)
    expect((await answerTo('POST', list)).status).to.equal(201)
    expect(await countOf()).to.equal(count + 2)
  })

  it('may have a body that arrives later', async () => {
    const bytes = post()
    const slow = await sendBehindSlowRead(bytes.subarray(0, 1000))
    connection.send(bytes.subarray(1000, 2000))
    await wait(20)
    slow.emit('open')
    expect((await answerTo('GET', page)).status).to.equal(200)
    connection.send(bytes.subarray(2000))
    expect((await answerTo('POST', list)).status).to.equal(201)
  })

  it('may wait for 100 Continue', async () => {
    const bytes = post({ Expect: '100-continue' })
    const head = bytes.indexOf('\r\n\r\n') + 4
    const slow = await sendBehindSlowRead(bytes.subarray(0, head))
    slow.emit('open')
    expect((await answerTo('GET', page)).status).to.equal(200)
    connection.send(bytes.subarray(head))
    const created = await answerTo('POST', list)
    expect(created.status).to.equal(201)
    expect(created.interim).to.deep.equal([100])
  })

  it('are not begun behind an answer that closes the connection', async () => {
    const count = await countOf()
    connection.send(Buffer.concat([get({ Connection: 'close' }), post()]))
    const last = await answerTo('GET', page)
    expect(last.status).to.equal(200)
    expect(closes(last)).to.equal(true)
    connection = await client.connect()
    connection.send(Buffer.concat([get({ Expect: 'miracles' }), post(), post()]))
    expect((await answerTo('GET', page)).status).to.equal(417)
    expect(await connection.ended()).to.equal('closed')
    expect(await countOf()).to.equal(count)
  })

  it('are not begun once the client has left', async () => {
    const count = await countOf()
    const slow = await sendBehindSlowRead(get(), post())
    connection.destroy()
    await wait(20)
    slow.emit('open')
    await wait(20)
    expect(started).to.equal(1)
    expect(await countOf()).to.equal(count)
  })
})

describe('a service that stops while requests are waiting behind another', () => {
  it('answers them all and closes the connection after the last', async () => {
    const gate = new EventEmitter()
    const service = await startService({
      store: memory => ({
        ...memory,
        page: query => async () => {
          gate.emit('asked')
          await once(gate, 'open')
          return memory.page(query)()
        },
      }),
    })
    const client = httpClient(service.url)
    await client.description()
    const connection = await client.connect()
    const bytes = (target: string): Buffer => bytesOf({ method: 'GET', target }, new URL(service.url).host)
    const asked = once(gate, 'asked')
    connection.send(Buffer.concat([bytes(page), bytes('/api/users/'), bytes('/api/users/')]))
    await asked
    const stopped = service.shutDown(10_000)
    gate.emit('open')
    const first = await connection.askRaw('', { method: 'GET', target: page })
    const second = await connection.askRaw('', { method: 'GET', target: '/api/users/' })
    const third = await connection.askRaw('', { method: 'GET', target: '/api/users/' })
    expect([first, second, third].map(closes)).to.deep.equal([false, false, true])
    expect(await connection.ended()).to.equal('closed')
    await stopped
    client.close()
  })
})
