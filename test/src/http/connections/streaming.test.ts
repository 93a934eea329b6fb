import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { corrupt, type ListError, unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { bytesOf, type CheckedConnection } from '../../support/http/http-client.js'
import { header, snippetsOf } from '../../support/http/representations.js'
import { closedGate } from '../../support/service/gate.js'
import type { Service, ServiceOptions } from '../../support/service/in-process.js'
import { servicePerTest } from '../../support/service/mocha-service.js'
import { anId, draft } from '../../support/snippets.js'

type Batch = Either<ListError, readonly Snippet[]>

const path = '/api/snippets/'

const snippet = (id: number, code = 'some code'): Snippet => ({ ...draft({ code }), id: anId(BigInt(id)), version: 1 })

const snippets = (from: number, count: number, code?: string): readonly Snippet[] =>
  Array.from({ length: count }, (_, i) => snippet(from + i, code))

/** A megabyte of snippets. `many` of them exceed every buffer between server and client. */
const megabyte = (from = 1): Batch => right(snippets(from, 100, 'x'.repeat(10_000)))
const many = 100

const broken = (cause: string): Batch => left(unavailable('unapplied', new Error(cause)))

describe('The streamed list', function () {
  this.timeout(30_000)
  const start = servicePerTest()
  let service: Service
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
  const request = (method = 'GET', version = '1.1'): Buffer =>
    Buffer.from(
      bytesOf({ method, target: path }, new URL(service.url).host).toString().replace('HTTP/1.1', `HTTP/${version}`),
    )
  const openWith = async (bytes: Buffer): Promise<CheckedConnection> => {
    const connection = await service.client.connect()
    connection.send(bytes)
    return connection
  }
  const errorsLogged = () => service.log.filter(({ level }) => level === 'error' || level === 'warn')

  for (const [what, batches] of [
    ['no batch', []],
    ['one empty batch', [0]],
    ['one snippet', [1]],
    ['a thousand snippets in one batch', [1000]],
    ['a thousand snippets in batches of many sizes', [1, 0, 255, 256, 0, 488, 0]],
  ] as const)
    it(`is valid JSON for ${what}`, async () => {
      const { client } = await serve(async function* () {
        let id = 1
        for (const size of batches) {
          yield right(snippets(id, size))
          id += size
        }
      })
      const total = batches.reduce<number>((sum, size) => sum + size, 0)
      const answer = await client.get(path)
      expect(snippetsOf(answer).map(({ id }) => id)).to.deep.equal(Array.from({ length: total }, (_, i) => `${i + 1}`))
      if (total === 0) expect(answer.text).to.equal('{"snippets":[]}')
    })

  it('is sent unchunked over HTTP/1.0', async () => {
    const { client } = await serve(async function* () {
      yield right(snippets(1, 300))
    })
    const connection = await client.connect()
    const answer = await connection.askRaw(request('GET', '1.0'), { method: 'GET', target: path })
    expect(header(answer, 'Connection')).to.equal('close')
    expect(answer.headers['transfer-encoding']).to.equal(undefined)
    expect(snippetsOf(answer)).to.have.length(300)
  })

  it('leaves no listener behind, however often it waits for the client', async () => {
    await serve(async function* () {
      for (let i = 0; i < many; i++) yield megabyte()
    })
    const warnings: string[] = []
    const note = ({ name }: Error): void => void warnings.push(name)
    process.on('warning', note)
    try {
      const { body } = await fetch(service.url + path)
      let read = 0
      for await (const chunk of body ?? []) read += chunk.length
      expect(read).to.be.above(many * 1_000_000)
      expect(warnings).not.to.include('MaxListenersExceededWarning')
    } finally {
      process.off('warning', note)
    }
  })

  it('answers 503 when the first batch fails', async () => {
    const { client, freed } = await serve(async function* () {
      yield broken('no batch today')
    })
    const answer = await client.get(path)
    expect(answer.status).to.equal(503)
    expect(header(answer, 'Retry-After')).to.match(/^[1-9][0-9]*$/)
    expect(answer.text).not.to.include('no batch today')
    await freed
    expect(errorsLogged()).to.have.length(1)
  })

  it('answers 500 when the first batch is corrupt', async () => {
    const { client } = await serve(async function* () {
      yield left(corrupt(new Error('title is a number')))
    })
    const answer = await client.get(path)
    expect(answer.status).to.equal(500)
    expect(answer.text).not.to.include('title is a number')
    expect(errorsLogged().map(({ level }) => level)).to.deep.equal(['error'])
  })

  it('answers 500 when the store throws at once', async () => {
    const { client } = await serve(async function* () {
      yield await Promise.reject<Batch>(new Error('thrown at once'))
    })
    const answer = await client.get(path)
    expect(answer.status).to.equal(500)
    expect(answer.text).not.to.include('thrown at once')
    expect(errorsLogged().map(({ level }) => level)).to.deep.equal(['error'])
  })

  for (const [what, fail] of [
    ['a batch fails', (): Batch => broken('gone midway')],
    [
      'the store throws',
      (): Batch => {
        throw new Error('gone midway')
      },
    ],
  ] as const)
    for (const version of ['1.1', '1.0'])
      for (const size of [101, 1000])
        it(`never looks complete when ${what} after ${size} snippets, over HTTP/${version}`, async () => {
          await serve(async function* () {
            yield right(snippets(1, size))
            yield fail()
            yield right(snippets(size + 1, 1))
          })
          const connection = await openWith(request('GET', version))
          const attempt = await connection.attempt('GET')
          const received = attempt.complete ? attempt.answer.text : attempt.received
          expect(attempt.complete).to.equal(false)
          expect(() => JSON.parse(received)).to.throw(SyntaxError)
          expect(received).not.to.include('gone midway').and.not.to.include('urn:snippets')
          expect(errorsLogged().map(({ level }) => level)).to.deep.equal(['error'])
        })

  it('answers 503 when a later batch of a short list fails', async () => {
    const { client, freed } = await serve(async function* () {
      yield right(snippets(1, 60))
      yield right(snippets(61, 40))
      yield broken('gone midway')
    })
    const answer = await client.get(path)
    expect(answer.status).to.equal(503)
    expect(answer.text).not.to.include('gone midway')
    await freed
    expect(errorsLogged()).to.have.length(1)
  })

  for (const [title, count] of [
    ['is one text with a Content-Length when it is no longer than a page', 100],
    ['is sent in chunks when it is longer than a page', 101],
  ] as const)
    it(title, async () => {
      const { client } = await serve(async function* () {
        for (let id = 1; id <= count; id++) yield right(snippets(id, 1))
      })
      const { headers, body } = await client.get(path)
      expect(headers['content-length']).to.equal(count <= 100 ? String(body.length) : undefined)
      expect(headers['transfer-encoding']).to.equal(count <= 100 ? undefined : 'chunked')
    })

  it('works for the next client after failing midway', async () => {
    let calls = 0
    const { client } = await serve(async function* () {
      yield right(snippets(1, 101))
      if (++calls === 1) yield broken('once')
    })
    const connection = await openWith(request())
    expect((await connection.attempt('GET')).complete).to.equal(false)
    expect(snippetsOf(await client.get(path))).to.have.length(101)
  })

  it('answers HEAD without a body, and ends the iteration', async () => {
    let pulled = 0
    const { client, freed } = await serve(async function* () {
      for (; pulled < many; pulled++) yield right(snippets(1, 100))
    })
    const connection = await client.connect()
    const head = await connection.ask({ method: 'HEAD', target: path })
    expect(head.status).to.equal(200)
    expect(header(head, 'Content-Type')).to.equal('application/json')
    await freed
    expect(pulled).to.be.at.most(2)
    expect((await connection.ask({ method: 'GET', target: '/api/snippets/config/' })).status).to.equal(200)
  })

  it('answers HEAD with 503 when the first batch fails', async () => {
    const { client } = await serve(async function* () {
      yield broken('no batch today')
    })
    expect((await client.head(path)).status).to.equal(503)
  })

  it('ends the iteration when the client leaves midway', async () => {
    let pulled = 0
    const { client, freed } = await serve(async function* () {
      for (; pulled < many; pulled++) yield megabyte()
    })
    const connection = await openWith(request())
    await wait(20)
    connection.destroy()
    await freed
    expect(pulled).to.be.lessThan(many)
    expect((await client.get('/api/snippets/config/')).status).to.equal(200)
    expect(errorsLogged()).to.deep.equal([])
  })

  for (const [when, firstBatches] of [
    ['before the first batch', []],
    ['while the store works on the second batch', [right(snippets(1, 20, 'x'.repeat(10_000)))]],
  ] as const)
    it(`ends the iteration when the client leaves ${when}`, async () => {
      const gate = closedGate()
      let pulled = 0
      const { freed } = await serve(async function* () {
        yield* firstBatches
        await gate.pass()
        for (; pulled < many; pulled++) yield megabyte()
      })
      const arrival = gate.arrival()
      const connection = await openWith(request())
      await arrival
      connection.destroy()
      await wait(20)
      gate.open()
      await freed
      expect(pulled).to.be.lessThan(many)
      expect(errorsLogged()).to.deep.equal([])
    })

  it('stops pulling while the client does not read, and resumes when it does', async () => {
    let pulled = 0
    const { client } = await serve(async function* () {
      for (; pulled < many; pulled++) yield megabyte(1 + pulled * 100)
    })
    const connection = await client.connect()
    connection.pause()
    connection.send(request())
    let seen = -1
    while (seen !== pulled || pulled === 0) {
      seen = pulled
      await wait(250)
    }
    expect(pulled).to.be.lessThan(many / 2)
    connection.resume()
    const attempt = await connection.attempt('GET')
    if (!attempt.complete) throw new Error('the list is incomplete')
    expect(snippetsOf(attempt.answer)).to.have.length(many * 100)
  })

  it('cuts off a client that never reads', async () => {
    let pulled = 0
    const { client, freed } = await serve(
      async function* () {
        for (; pulled < many; pulled++) yield megabyte()
      },
      { limits: { stallMs: 50 } },
    )
    const connection = await client.connect()
    connection.pause()
    connection.send(request())
    await freed
    expect(pulled).to.be.lessThan(many)
    connection.resume()
    expect((await connection.attempt('GET')).complete).to.equal(false)
  })

  it('leaves the event loop free for other requests', async () => {
    let done = false
    const { client } = await serve(async function* () {
      for (let i = 0; i < 200; i++) yield right(snippets(1 + i * 100, 100, 'x'.repeat(1000)))
      done = true
    })
    const list = client.get(path)
    let answered = 0
    const other = await client.connect()
    while (!done) {
      await other.ask({ method: 'GET', target: '/api/snippets/config/' })
      answered++
    }
    expect(answered).to.be.greaterThan(10)
    expect(snippetsOf(await list)).to.have.length(20_000)
  })
})
