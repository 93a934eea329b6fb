import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { corrupt, type ListError, unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { eventually } from '../../support/eventually.js'
import type { CheckedConnection } from '../../support/http/http-client.js'
import { header, pageOf, snippetsOf } from '../../support/http/representations.js'
import { bodiless, get, observer } from '../../support/http/wire.js'
import { closedGate } from '../../support/service/gate.js'
import type { Service, ServiceOptions } from '../../support/service/in-process.js'
import { servicePerTest, sharedService } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

type Batch = Either<ListError, readonly Snippet[]>

const list = '/api/snippets/'
const page = '/api/snippets-viewset/?page_size=100'
const users = '/api/users/'
const http10 = (request: string): string => request.replace('HTTP/1.1', 'HTTP/1.0')

describe('A page of 3 MB', () => {
  /** As long in JSON as a snippet can be; then one of many bytes in few characters. */
  const codes = ['\u0001'.repeat(10_000), '𝒳é"'.repeat(3000)]
  const contentAt = (index: number) => ({ title: `t${index}`, code: codes[index % 2], language: 'l' })
  const service = sharedService()
  let connection: CheckedConnection
  before(async () => {
    for (let i = 0; i < 100; i++) await service.client.post(list, contentAt(i))
  })
  beforeEach(async () => {
    connection = await service.client.connect()
  })
  afterEach(() => connection.destroy())

  const answerTo = (target: string, bytes = '') => connection.askRaw(bytes, { method: 'GET', target })

  it('is whole', async () => {
    const { results, ...envelope } = pageOf(await service.client.get(page))
    expect(envelope).to.deep.equal({ count: 100, next: null, previous: null })
    expect(results.map(({ title, code, language }) => ({ title, code, language }))).to.deep.equal(
      Array.from({ length: 100 }, (_, i) => contentAt(i)),
    )
  })

  it('has no body when only its head is asked for', async () => {
    const head = await service.client.head(page)
    expect([head.status, head.body.length]).to.deep.equal([200, 0])
  })

  it('is whole over HTTP/1.0, too', async () => {
    expect(pageOf(await answerTo(page, http10(get(page)))).results).to.have.length(100)
    expect(await connection.ended()).to.equal('closed')
  })

  it('is followed by the answers to pipelined requests', async () => {
    connection.send(get(page) + get(users) + get(page))
    for (const target of [page, users, page]) expect((await answerTo(target)).status).to.equal(200)
  })
})

describe('The streamed list', function () {
  this.timeout(30_000)
  const start = servicePerTest()
  let service: Service
  const snippets = (from: number, count: number, code = 'some code'): readonly Snippet[] =>
    Array.from({ length: count }, (_, i) => ({ ...draft({ code }), id: anId(BigInt(from + i)), version: 1 }))
  /** A megabyte of snippets. `many` of them exceed every buffer between server and client. */
  const megabyte = (from = 1): Batch => right(snippets(from, 100, 'x'.repeat(10_000)))
  const many = 100
  const broken = (): Batch => left(unavailable('unapplied', new Error('no batch today')))
  const broughtDown = (): Batch => {
    throw new Error('no batch today')
  }
  /** Starts a service that streams these batches. `freed` resolves when the iteration has ended or was returned. */
  const serve = async (all: () => AsyncGenerator<Batch>, options: ServiceOptions = {}) => {
    const events = new EventEmitter()
    async function* watched(): AsyncGenerator<Batch> {
      try {
        yield* all()
      } finally {
        events.emit('freed')
      }
    }
    const store = (memory: SnippetStore): SnippetStore => ({ ...memory, all: watched })
    service = await start({ ...options, store })
    return { client: service.client, freed: once(events, 'freed') }
  }
  const openWith = async (bytes: string): Promise<CheckedConnection> => {
    const connection = await service.client.connect()
    connection.send(bytes)
    return connection
  }

  for (const batches of [[], [0], [1], [100], [1000], [1, 0, 255, 256, 0, 488, 0]])
    it(`is valid JSON for batches of ${batches.join(', ') || 'nothing'}`, async () => {
      const { client } = await serve(async function* () {
        let id = 1
        for (const size of batches) {
          yield right(snippets(id, size))
          id += size
        }
      })
      const total = batches.reduce((sum, size) => sum + size, 0)
      const answer = await client.get(list)
      expect(snippetsOf(answer).map(({ id }) => id)).to.deep.equal(Array.from({ length: total }, (_, i) => `${i + 1}`))
    })

  it('is sent unchunked over HTTP/1.0', async () => {
    const { client } = await serve(async function* () {
      yield right(snippets(1, 300))
    })
    const connection = await client.connect()
    const answer = await connection.askRaw(http10(get(list)), { method: 'GET', target: list })
    expect(header(answer, 'Connection')).to.equal('close')
    expect(answer.headers['transfer-encoding']).to.equal(undefined)
    expect(snippetsOf(answer)).to.have.length(300)
  })

  for (const [what, status, fail] of [
    ['fails', 503, broken],
    ['is corrupt', 500, () => left(corrupt(new Error('no batch today')))],
    ['throws', 500, broughtDown],
  ] as const) {
    it(`is a ${status} when its first batch ${what}, logged once and free of causes, also for HEAD`, async () => {
      const { client, freed } = await serve(async function* () {
        yield fail()
      })
      const answer = await client.get(list)
      expect(answer.status).to.equal(status)
      expect(answer.text).not.to.include('no batch today')
      await freed
      expect(service.log).to.have.length(1)
      expect((await client.head(list)).status).to.equal(status)
    })

    it(`is a ${status} when a later batch of a short list ${what}`, async () => {
      const { client } = await serve(async function* () {
        yield right(snippets(1, 60))
        yield right(snippets(61, 40))
        yield fail()
      })
      expect((await client.get(list)).status).to.equal(status)
      expect(service.log).to.have.length(1)
    })

    for (const version of ['1.1', '1.0'])
      for (const size of [101, 1000])
        it(`never looks whole over HTTP/${version} when it ${what} after ${size} snippets`, async () => {
          const { observe, first } = observer()
          await serve(
            async function* () {
              yield right(snippets(1, size))
              yield fail()
              yield right(snippets(size + 1, 1))
            },
            { observe },
          )
          const connection = await openWith(version === '1.0' ? http10(get(list)) : get(list))
          const attempt = await connection.attempt('GET')
          const received = attempt.complete ? attempt.answer.text : attempt.received
          // of HTTP/1.0 only the JSON can tell
          if (version === '1.1') expect(attempt.complete).to.equal(false)
          expect(() => JSON.parse(received)).to.throw(SyntaxError)
          expect(received).not.to.include('no batch today').and.not.to.include('urn:snippets')
          expect(service.log.map(({ level }) => level)).to.deep.equal(['error'])
          expect(await first(1)).to.have.length(1)
        })
  }

  it('frees the cursor of the storage after HEAD', async () => {
    let pulled = 0
    const { client, freed } = await serve(async function* () {
      for (; pulled < many; pulled++) yield right(snippets(1, 100))
    })
    const connection = await client.connect()
    const head = await connection.ask({ method: 'HEAD', target: list })
    expect(head.status).to.equal(200)
    expect(header(head, 'Content-Type')).to.equal('application/json')
    await freed
    expect(pulled).to.be.lessThan(5)
    expect((await connection.ask({ method: 'GET', target: users })).status).to.equal(200)
  })

  it('frees the cursor when the client leaves midway', async () => {
    const { observe, first } = observer()
    let pulled = 0
    const { client, freed } = await serve(
      async function* () {
        for (; pulled < many; pulled++) yield megabyte()
      },
      { observe },
    )
    const connection = await openWith(get(list))
    await eventually(() => pulled > 1)
    connection.destroy()
    await freed
    expect(pulled).to.be.lessThan(many)
    expect((await first(1))[0]).to.include({ clientLeft: true })
    expect((await client.get(users)).status).to.equal(200)
    expect(service.log).to.deep.equal([])
  })

  for (const [when, before] of [
    ['before the first batch', []],
    ['while the storage works on a later batch', [right(snippets(1, 200, 'x'.repeat(10_000)))]],
  ] as const)
    it(`frees the cursor when the client leaves ${when}`, async () => {
      const gate = closedGate()
      const { observe, first } = observer()
      let pulled = 0
      const { freed } = await serve(
        async function* () {
          yield* before
          await gate.pass()
          for (; pulled < many; pulled++) yield megabyte()
        },
        { observe },
      )
      const arrival = gate.arrival()
      const connection = await openWith(get(list))
      await arrival
      connection.destroy()
      await first(1)
      gate.open()
      await freed
      expect(pulled).to.be.lessThan(many)
      expect(service.log).to.deep.equal([])
    })

  it('is pulled as far as the client reads, and goes on when it reads again', async () => {
    let pulled = 0
    const { client } = await serve(async function* () {
      for (; pulled < many; pulled++) yield megabyte(1 + pulled * 100)
    })
    const connection = await client.connect()
    connection.pause()
    connection.send(get(list))
    for (let seen = -1; seen !== pulled || pulled === 0; ) {
      seen = pulled
      await wait(250)
    }
    expect(pulled).to.be.lessThan(many / 2)
    expect(service.unsentBytes()).to.be.lessThan(1_000_000)
    connection.resume()
    expect(snippetsOf(await connection.askRaw('', { method: 'GET', target: list }))).to.have.length(many * 100)
  })

  it('lets others have their turn, and leaves no listener behind', async () => {
    const warnings: string[] = []
    const note = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', note)
    let done = false
    const { client } = await serve(async function* () {
      for (let i = 0; i < 200; i++) yield right(snippets(1 + i * 100, 100, 'x'.repeat(1000)))
      done = true
    })
    await client.description()
    const whole = client.get(list)
    const other = await client.connect()
    let answered = 0
    for (; !done; answered++) await other.ask({ method: 'GET', target: users })
    expect(answered).to.be.greaterThan(10)
    expect(snippetsOf(await whole)).to.have.length(20_000)
    process.off('warning', note)
    expect(warnings).to.deep.equal([])
  })

  it('is refused with 503 past the limit of lists, and served again when one has ended', async () => {
    const gate = closedGate()
    const { client } = await serve(
      async function* () {
        yield right(snippets(1, 1))
        await gate.pass()
      },
      { maxLists: 1 },
    )
    await client.description()
    const arrived = gate.arrival()
    const first = client.get(list)
    await arrived
    const refused = await client.get(list)
    expect(refused.status).to.equal(503)
    expect(header(refused, 'Retry-After')).to.equal('1')
    expect(refused.text).to.include('urn:snippets:overloaded').and.to.include('page by page')
    gate.open()
    expect(snippetsOf(await first)).to.have.length(1)
    const again = gate.arrival()
    const second = client.get(list)
    await again
    gate.open()
    expect((await second).status).to.equal(200)
  })

  for (const [what, ask] of [
    ['of which only the head was asked for', (client: Service['client']) => client.head(list)],
    ['whose storage fails', (client: Service['client']) => client.get(list)],
  ] as const)
    it(`does not count one ${what}`, async () => {
      let isFirst = true
      const { client } = await serve(
        async function* () {
          if (isFirst && what === 'whose storage fails') yield isBroken()
          yield right(snippets(1, 200))
        },
        { maxLists: 1 },
      )
      const isBroken = (): Batch => {
        isFirst = false
        return broken()
      }
      await ask(client)
      expect(snippetsOf(await client.get(list))).to.have.length(200)
    })

  it('does not count one whose client left while the storage was at work', async () => {
    const gate = closedGate()
    const { observe, first } = observer()
    let isHeld = true
    const { client, freed } = await serve(
      async function* () {
        if (isHeld) await gate.pass()
        yield right(snippets(1, 200))
      },
      { maxLists: 1, observe },
    )
    const arrived = gate.arrival()
    const connection = await openWith(bodiless('GET', list))
    await arrived
    connection.destroy()
    await first(1)
    isHeld = false
    gate.open()
    await freed
    await wait(0)
    expect(snippetsOf(await client.get(list))).to.have.length(200)
  })
})
