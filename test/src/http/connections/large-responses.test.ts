import { EventEmitter, once } from 'node:events'
import { mock } from 'node:test'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import type { Observation } from '@snippets/adapters-http/middleware/create-app.js'
import { Connections } from '@snippets/adapters-http/server/connections.js'
import type { ServerLimits } from '@snippets/adapters-http/server/limits.js'
import { firstVersion, type Snippet } from '@snippets/domain/entities/snippet.js'
import { type ListError, unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import { ConnectionEnded, openConnection } from '../../support/http/raw-http.js'
import { header, snippetsOf } from '../../support/http/representations.js'
import { get, observer } from '../../support/http/wire.js'
import { closedGate } from '../../support/service/gate.js'
import type { InProcessService } from '../../support/service/in-process.js'
import { servicePerTest } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

type Batch = Either<ListError, readonly Snippet[]>

const list = '/api/snippets/'

const snippets = (from: number, count: number, code = 'some code'): readonly Snippet[] =>
  Array.from({ length: count }, (_, i) => firstVersion(anId(BigInt(from + i)), draft({ code })))

describe('A long response', function () {
  this.timeout(30_000)
  afterEach(() => mock.restoreAll())
  const start = servicePerTest()
  let begun = 0
  /** The longest snippets in JSON, and one with many bytes per character. They exceed the buffers of the kernel. */
  const items = [...snippets(1, 99, '\u0001'.repeat(10_000)), ...snippets(100, 1, '𝒳é"'.repeat(3000))]
  const store = (memory: SnippetStore): SnippetStore => ({
    ...memory,
    page: () => async () => {
      begun++
      return right({ count: items.length, items, hasMore: false })
    },
    async *all() {
      begun++
      yield right(items)
    },
  })

  it('is observed as left when its client leaves before the last bytes', async () => {
    const receive = mock.method(Connections.prototype, 'receive')
    const newest = () => receive.mock.calls.at(-1)?.arguments[0]
    const { observe, seen } = observer()
    const { client } = await start({ observe })
    const slow = await client.connect()
    slow.pause()
    // until the buffers of the kernel are full
    do {
      const before = newest()
      slow.send(get('/api/schema/'))
      await eventually(() => newest() !== before && newest()?.writableEnded === true)
    } while (newest()?.writableLength === 0)
    slow.reset()
    await eventually(() => seen.length === receive.mock.callCount())
    expect(seen.at(-1)).to.include({ clientLeft: true })
  })

  for (const target of [list, '/api/snippets-viewset/?page_size=100'])
    it(`to GET ${target} is complete, releases its bytes, and closes the response to a slow client`, async () => {
      let ended = 0
      const observe = ({ route }: Observation) => {
        if (target.startsWith(route)) ended++
      }
      const { client, evictedConnections } = await start({ store, observe, limits: { unsentBytes: 1 } })
      const { snippets, results } = JSON.parse((await client.get(target)).text)
      expect((snippets ?? results).map(({ code }: Snippet) => code)).to.deep.equal(items.map(({ code }) => code))
      expect((await client.head(target)).body.length).to.equal(0)
      // the client may have a response before the server has released its bytes
      await eventually(() => ended === 2)

      const slow = await client.connect()
      slow.pause()
      begun = 0
      slow.send(get(target))
      await eventually(() => begun > 0)
      // the response waits for its client as soon as the buffers of the kernel are full
      let response = await client.get(target)
      for (let round = 0; response.status === 503; round++) {
        if (round < 3) slow.resume()
        await turn()
        slow.pause()
        response = await client.get(target)
      }
      expect(response.status).to.equal(200)
      expect(evictedConnections()).to.equal(1)
      slow.resume()
      expect(await slow.requestRaw('', { method: 'GET', target }).catch(error => error)).to.be.instanceOf(
        ConnectionEnded,
      )
    })
})

describe('The streamed list', function () {
  this.timeout(30_000)
  const start = servicePerTest()
  let service: InProcessService
  /** A megabyte of snippets. `many` of them exceed every buffer between server and client. */
  const megabyte = (from = 1): Batch => right(snippets(from, 100, 'x'.repeat(10_000)))
  const many = 12
  const broken = (): Batch => left(unavailable('unapplied', new Error('no batch today')))
  const throwing = (): never => {
    throw new Error('no batch today')
  }

  /** Starts a service that streams these batches. `freed` resolves when the iteration has ended, early or not. */
  const serve = async (limits: Partial<ServerLimits>, all: () => AsyncGenerator<Batch>) => {
    const events = new EventEmitter()
    async function* watched(): AsyncGenerator<Batch> {
      try {
        yield* all()
      } finally {
        events.emit('freed')
      }
    }
    const { observe, seen, first } = observer()
    service = await start({ observe, limits, store: (memory: SnippetStore) => ({ ...memory, all: watched }) })
    return { client: service.client, freed: once(events, 'freed'), seen, first }
  }
  /** Memory for one list at a time. */
  const oneList = { unsentBytes: 1 }

  it('is valid JSON for batches of any size', async () => {
    const batches = [0, 1, 0, 255, 256, 0, 488, 0]
    const { client } = await serve({}, async function* () {
      let id = 1
      for (const size of batches) {
        yield right(snippets(id, size))
        id += size
      }
    })
    const ids = snippetsOf(await client.get(list)).map(({ id }) => id)
    expect(ids).to.deep.equal(Array.from({ length: 1000 }, (_, i) => `${i + 1}`))
  })

  for (const size of [0, 100])
    it(`returns 503 to GET and HEAD, and logs once, when a batch fails after ${size} snippets`, async () => {
      const { client, freed } = await serve(oneList, async function* () {
        yield right(snippets(1, size))
        yield broken()
      })
      expect((await client.get(list)).status).to.equal(503)
      await freed
      expect(service.log).to.have.length(1)
      expect((await client.head(list)).status).to.equal(503)
    })

  for (const [version, request] of [
    ['1.1', get(list)],
    ['1.0', get(list).replace('HTTP/1.1', 'HTTP/1.0')],
  ] as const)
    for (const [what, fail] of Object.entries({ fails: broken, throws: throwing }))
      it(`never looks complete over HTTP/${version} when a batch ${what} after a long one`, async () => {
        const { first } = await serve({}, async function* () {
          yield megabyte()
          yield fail()
          yield right(snippets(101, 1))
        })
        const connection = await openConnection(service.url)
        connection.send(request)
        const ending = await connection.response('GET').catch((ended: ConnectionEnded) => ended)
        // over HTTP/1.0 only the JSON is incomplete
        if (version === '1.1') expect(ending).to.be.instanceOf(ConnectionEnded)
        const received = ending instanceof ConnectionEnded ? ending.received : ending.text
        expect(() => JSON.parse(received)).to.throw(SyntaxError)
        expect(received).not.to.include('no batch today').and.not.to.include('urn:snippets')
        await first(1)
        expect(service.log.map(({ level }) => level)).to.deep.equal(['error'])
      })

  it('reads one long batch for HEAD, ends the iteration and makes room for another list', async () => {
    let pulled = 0
    const { client, freed } = await serve(oneList, async function* () {
      for (; pulled < 20; pulled++) yield right(snippets(1 + pulled * 20, 20, 'x'.repeat(1000)))
    })
    const head = await client.head(list)
    expect(head.status).to.equal(200)
    expect(header(head, 'Content-Type')).to.equal('application/json')
    await freed
    expect(pulled).to.be.lessThan(2)
    expect((await client.get(list)).status).to.equal(200)
  })

  for (const [when, ahead] of [
    ['before the first batch', 0],
    ['midway', 2],
  ] as const)
    it(`ends the iteration and makes room for another list if the client leaves during a storage read, ${when}`, async () => {
      const gate = closedGate()
      let pulled = 0
      const { client, freed, first } = await serve(oneList, async function* () {
        for (; pulled < many; pulled++) {
          if (pulled === ahead) await gate.pass()
          yield megabyte(1 + pulled * 100)
        }
      })
      const arrival = gate.arrival()
      const connection = await client.connect()
      connection.send(get(list))
      await arrival
      connection.destroy()
      // the first observation is the GET of the OpenAPI document
      expect((await first(2))[1]).to.include({ clientLeft: true })
      gate.open()
      await freed
      expect(pulled).to.be.lessThan(many)
      expect(service.log).to.deep.equal([])
      pulled = many - 1
      await wait(0)
      expect(snippetsOf(await client.get(list))).to.have.length(100)
    })

  it('waits for a client that reads nothing, and is cut off after a while', async () => {
    let pulled = 0
    const { client, freed } = await serve({ stallMs: 200 }, async function* () {
      for (; pulled < many; pulled++) yield megabyte(1 + pulled * 100)
    })
    const connection = await client.connect()
    connection.pause()
    connection.send(get(list))
    await freed
    expect(pulled).to.be.lessThan(many)
  })

  it('is rejected with 503 if all others wait for the storage, and served again after one has ended', async () => {
    const gate = closedGate()
    const { client, seen } = await serve(oneList, async function* () {
      yield right(snippets(1, 1))
      await gate.pass()
    })
    await client.description()
    for (let i = 0; i < 2; i++) {
      const arrived = gate.arrival()
      const first = client.get(list)
      await arrived
      expect((await client.get(`${list}?page=1`)).status).to.equal(400)
      const rejected = await client.get(list)
      expect(rejected.status).to.equal(503)
      expect(header(rejected, 'Retry-After')).to.equal('1')
      expect(rejected.text).to.include('urn:snippets:overloaded').and.to.include('pages with a small page_size')
      await eventually(() => seen.some(({ limit }) => limit === 'unsentBytes'))
      gate.open()
      expect(snippetsOf(await first)).to.have.length(1)
    }
  })
})
