import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectTo } from 'node:net'
import { mock } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { LongResponses } from '@snippets/adapters-http/server/long-responses.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { right } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { openConnection } from '../../support/http/raw-http.js'
import { get, observer, requestHead } from '../../support/http/wire.js'
import type { InProcessService, ServiceOptions } from '../../support/service/in-process.js'
import { servicePerTest } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

const list = get('/api/snippets/')
const connect = requestHead('CONNECT', 'a:80')

/** A megabyte of snippets. Some of them exceed every buffer between server and client. */
const megabyte = Array.from({ length: 100 }, (_, i) =>
  firstVersion(anId(BigInt(i + 1)), draft({ code: 'x'.repeat(10_000) })),
)
const megabytes = 12

const store = (memory: SnippetStore): SnippetStore => ({
  ...memory,
  async *all() {
    for (let i = 0; i < megabytes; i++) yield right(megabyte)
  },
})

/** An address as the kernel of Linux lists it. */
const loopback = '0100007F'
const hexOf = (port = 0): string => port.toString(16).toUpperCase().padStart(4, '0')

describe('A connection whose client leaves a response unread', function () {
  this.timeout(60_000)
  const start = servicePerTest()

  for (const [how, closesItsSide] of [
    ['', false],
    [', also to a client that has closed its side', true],
  ] as const)
    it(`sends the response completely, then the 400 of a CONNECT behind it${how}`, async () => {
      const { url, connections } = await start({ store })
      const client = await openConnection(url)
      client.pause()
      client.send(list + connect)
      if (closesItsSide) client.end()
      client.resume()
      const { snippets } = JSON.parse((await client.response('GET')).text)
      expect(snippets).to.have.lengthOf(megabytes * megabyte.length)
      expect((await client.response('CONNECT')).status).to.equal(400)
      expect(await client.ended()).to.equal('closed')
      await eventually(() => connections() === 0)
    })

  it('gets the whole response although it closes the connection, and the client then sends another request', async () => {
    const { observe, first } = observer()
    const all: SnippetStore['all'] = async function* () {
      yield right(megabyte)
    }
    // at this limit, each response closes its connection
    const { url } = await start({ store: memory => ({ ...memory, all }), limits: { connections: 1 }, observe })
    const client = await openConnection(url)
    client.pause()
    client.send(list)
    // by then the kernel has the whole response
    await first(1)
    client.send(get('/api/snippets/config/'))
    await pause(100)
    client.resume()
    const response = await client.response('GET')
    expect(response.headers.connection).to.equal('close')
    expect(JSON.parse(response.text).snippets).to.have.lengthOf(megabyte.length)
    expect(await client.ended()).to.equal('closed')
  })

  for (const [when, isWhole, limits, others] of [
    ['was evicted, if its client reads on at once', true, {}, 4],
    ['was evicted, if its client reads on too late', false, { requestMs: 500 }, 4],
    ['was idle for too long, if its client reads on too late', false, { requestMs: 500, idleMs: 100 }, 0],
  ] as const)
    it(`${isWhole ? 'delivers' : 'does not deliver'} the whole response after it ${when}`, async () => {
      const { observe, first } = observer()
      const all: SnippetStore['all'] = async function* () {
        yield right(megabyte)
      }
      const store = (memory: SnippetStore) => ({ ...memory, all })
      const { url, connections } = await start({ store, limits: { connections: 4, ...limits }, observe })
      const client = await openConnection(url)
      client.pause()
      client.send(list)
      // by then the kernel has the whole response
      await first(1)
      const silent = await Promise.all(Array.from({ length: others }, () => openConnection(url)))
      await eventually(() => connections() === 1 + others)
      if (!isWhole) await eventually(() => connections() === 0)
      client.resume()
      const response = client.response('GET').then(({ text }) => JSON.parse(text).snippets.length)
      expect(await response.catch(() => 'broken off')).to.equal(isWhole ? megabyte.length : 'broken off')
      for (const connection of silent) connection.destroy()
    })

  it('closes when its client sends many requests behind its last response', async () => {
    const { url, connections } = await start({ limits: { connections: 1 } })
    const { hostname, port } = new URL(url)
    const socket = connectTo({ port: Number(port), host: hostname, allowHalfOpen: true })
    socket.on('error', () => {}).write(list)
    await once(socket.resume(), 'end')
    socket.write(list.repeat(30))
    await eventually(() => connections() === 0)
    socket.destroy()
  })

  it('makes room before an idle connection does, once it has had its last response', async () => {
    const { url } = await start({ limits: { connections: 4 } })
    const idle = await openConnection(url)
    idle.send(list)
    expect((await idle.response('GET')).headers.connection).to.equal('keep-alive')
    const { hostname, port } = new URL(url)
    const lingering = Array.from({ length: 3 }, () =>
      connectTo({ port: Number(port), host: hostname, allowHalfOpen: true }),
    )
    for (const socket of lingering) {
      socket.on('error', () => {}).write(get('/api/snippets/', 'Connection: close'))
      await once(socket.resume(), 'end')
    }
    expect((await fetch(`${url}/api/snippets/config/`)).status).to.equal(200)
    idle.send(list)
    expect((await idle.response('GET')).status).to.equal(200)
    idle.destroy()
    for (const socket of lingering) socket.destroy()
  })

  for (const when of ['before', 'after'])
    it(`makes room after its last response, although its client sent a request ${when} its end and stays`, async () => {
      const { url } = await start({ store, limits: { connections: 1 } })
      const { hostname, port } = new URL(url)
      const socket = connectTo({ port: Number(port), host: hostname, allowHalfOpen: true })
      socket.write(list)
      if (when === 'before') socket.write(list)
      socket.resume()
      await once(socket, 'end')
      if (when === 'after') socket.write(list)
      await pause(50)
      expect((await fetch(`${url}/api/snippets/config/`)).status).to.equal(200)
      socket.destroy()
    })

  for (const [what, first, further] of [
    ['nothing', list, ''],
    ['empty lines', list, '\r\n'],
    ['a part of a request', `${list}GET /`, 'a'],
    ['bytes behind CONNECT', list + connect, 'a'],
  ] as const)
    it(`closes when the client takes nothing and sends ${what}`, async () => {
      const { url, connections } = await start({ store, limits: { stallMs: 300 } })
      const client = await openConnection(url)
      client.pause()
      client.send(first)
      await eventually(() => connections() === 1)
      const sending = setInterval(() => client.send(further), 30)
      await eventually(() => connections() === 0).finally(() => clearInterval(sending))
      client.destroy()
    })

  for (const [why, options, provoke] of [
    ['its client takes nothing for too long', { limits: { stallMs: 300 } }, async () => {}],
    [
      'another list needs its memory',
      { limits: { unsentBytes: 1024 * 1024 } },
      async ({ url, connections }) => {
        const other = await openConnection(url)
        other.send(list)
        await eventually(() => connections() === 1)
        other.destroy()
      },
    ],
    [
      'another connection needs its room',
      { limits: { connections: 1 } },
      async ({ url }) => (await openConnection(url)).destroy(),
    ],
    ['the service stops', {}, async ({ stop }) => void (await stop())],
  ] as const satisfies readonly [string, ServiceOptions, (service: InProcessService) => Promise<void>][])
    it(`is reset when ${why}, so that the kernel keeps nothing for the client`, async function () {
      if (process.platform !== 'linux') this.skip()
      const service = await start({ store, ...options })
      const { hostname, port } = new URL(service.url)
      const socket = connectTo(Number(port), hostname)
      const stream = mock.method(LongResponses.prototype, 'stream')
      socket.write(list)
      await eventually(() => stream.mock.calls[0]?.arguments[0]?.writableNeedDrain === true)
      stream.mock.restore()
      const end = `${hexOf(Number(port))} ${loopback}:${hexOf(socket.localPort)}`
      expect(await readFile('/proc/net/tcp', 'utf8')).to.contain(end)
      await provoke(service)
      await eventually(() => service.connections() === 0)
      await eventually(async () => !(await readFile('/proc/net/tcp', 'utf8')).includes(end))
      socket.destroy()
    })

  it('stays open while the client reads slowly, and then serves the next request', async () => {
    const { url } = await start({ store, limits: { stallMs: 1000 } })
    const client = await openConnection(url)
    client.send(list)
    const response = client.response('GET')
    for (let round = 0; round < 60; round++) {
      client.pause()
      await pause(40)
      client.resume()
      await pause(0)
      client.send('\r\n')
    }
    expect(JSON.parse((await response).text).snippets).to.have.lengthOf(megabytes * megabyte.length)
    client.send(get('/api/snippets/config/'))
    expect((await client.response('GET')).status).to.equal(200)
    client.destroy()
  })
})
