import { hashOf, type Token } from '@snippets/adapters-http/doors/token.js'
import { unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { bytesOf, type Client } from '../support/http/http-client.js'
import type { Answer } from '../support/http/raw-http.js'
import { header, problemOf, snippetOf, snippetsOf } from '../support/http/representations.js'
import { observer } from '../support/http/wire.js'
import { closedGate, type Gate } from '../support/service/gate.js'
import type { Service, ServiceOptions } from '../support/service/in-process.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const body = { title: 't', code: 'c', language: 'l' }
const text = JSON.stringify(body)
const json = { 'Content-Type': 'application/json' }
const key = { 'Idempotency-Key': 'k' }
const explicit = '/api/snippets/'
const paths = [explicit, '/api/snippets-viewset/']

/** The first creation with a key waits at the gate, before it reaches the storage. */
const holdingFirst =
  ({ pass }: Gate) =>
  (memory: SnippetStore): SnippetStore => {
    let held = 0
    return {
      ...memory,
      createOnce: (draft, retry) => async () => {
        if (held++ === 0) await pass()
        return memory.createOnce(draft, retry)()
      },
    }
  }

const expectInUse = (answer: Answer): void => {
  expect(answer.status).to.equal(409)
  expect(header(answer, 'Retry-After')).to.equal('1')
  expect(header(answer, 'Content-Type')).to.equal('application/problem+json')
  const { type, detail } = problemOf(answer)
  expect(type).to.equal('urn:snippets:idempotency-key-in-use')
  expect(detail).to.contain('Nothing was written')
}

/** 201, without or with the header that says that it is a repetition. */
const expectCreated = (answer: Answer, { isReplay }: Readonly<{ isReplay: boolean }>): void => {
  expect(answer.status, answer.text).to.equal(201)
  expect(answer.headers['idempotency-replayed']).to.equal(isReplay ? 'true' : undefined)
}

const listed = async (client: Client) => snippetsOf(await client.get(explicit))

describe('While a POST with an Idempotency-Key is under way', () => {
  const start = servicePerTest()

  /** The first request has arrived at the storage, which has not answered yet. */
  const startHeld = async (options: ServiceOptions = {}, path = explicit) => {
    const gate = closedGate()
    const service: Service = await start({ ...options, store: holdingFirst(gate) })
    // so that the client can check responses while the gate is closed
    await service.client.description()
    const arrived = gate.arrival()
    const first = service.client.post(path, body, key)
    await arrived
    return { ...service, first, open: gate.open }
  }

  for (const held of paths)
    for (const path of paths)
      it(`to ${held}, one to ${path} with the same key answers 409 with Retry-After, whatever its body`, async () => {
        const { client, first, open } = await startHeld({}, held)
        expectInUse(await client.post(path, body, key))
        expectInUse(await client.post(path, { ...body, title: 'another' }, key))
        open()
        expectCreated(await first, { isReplay: false })
        expectCreated(await client.post(path, body, key), { isReplay: true })
        expect((await client.post(path, { ...body, title: 'another' }, key)).status).to.equal(422)
        expect(await listed(client)).to.deep.equal([snippetOf(await first)])
      })

  it('one with the same key and a body that is refused answers 400', async () => {
    const { client, first, open } = await startHeld()
    expect((await client.post(explicit, { ...body, title: '' }, key)).status).to.equal(400)
    open()
    await first
  })

  it('other keys, creations without one and other methods are served', async () => {
    const { client, first, open } = await startHeld()
    expectCreated(await client.post(explicit, body, { 'Idempotency-Key': 'K' }), { isReplay: false })
    expectCreated(await client.post(explicit, body), { isReplay: false })
    expect((await client.get(explicit, key)).status).to.equal(200)
    expect((await client.head(explicit, key)).status).to.equal(200)
    expect((await client.options(explicit, key)).status).to.equal(204)
    expect((await client.put(`${explicit}1/`, body, key)).status).to.equal(200)
    open()
    expectCreated(await first, { isReplay: false })
  })

  it('the same key of another token is served', async () => {
    const gate = closedGate()
    const tokens = ['ada', 'grace'].map((name): Token => ({ name, scope: 'write', hash: hashOf(`token-of-${name}`) }))
    const { url } = await start({ tokens, store: holdingFirst(gate) })
    const create = async (name: string): Promise<number> => {
      const headers = { ...json, ...key, Authorization: `Bearer token-of-${name}` }
      return (await fetch(url + explicit, { method: 'POST', headers, body: text })).status
    }
    const arrived = gate.arrival()
    const first = create('ada')
    await arrived
    expect(await create('grace')).to.equal(201)
    expect(await create('ada')).to.equal(409)
    gate.open()
    expect(await first).to.equal(201)
  })

  it('its key stays in use when its client leaves, until the storage has answered', async () => {
    const gate = closedGate()
    const { observe, first } = observer()
    const { client } = await start({ observe, store: holdingFirst(gate) })
    const connection = await client.connect()
    const arrived = gate.arrival()
    connection.send(bytesOf({ method: 'POST', target: explicit, headers: { ...json, ...key }, body: text }, 'a'))
    await arrived
    connection.reset()
    expect((await first(1))[0]?.clientLeft).to.equal(true)
    expectInUse(await client.post(explicit, body, key))
    gate.open()
    expectCreated(await client.post(explicit, body, key), { isReplay: true })
    expect(await listed(client)).to.have.length(1)
  })
})

describe('A POST with an Idempotency-Key whose body is still arriving', () => {
  const start = servicePerTest()

  /** Sends all but the last byte of the request, which `finish` sends. */
  const begin = async (client: Client) => {
    const connection = await client.connect()
    const meant = { method: 'POST', target: explicit }
    const bytes = bytesOf({ ...meant, headers: { ...json, ...key }, body: text }, 'a')
    connection.send(bytes.subarray(0, -1))
    // by the time of this answer the service has begun to read the body
    await client.get('/api/users/')
    return { finish: () => connection.askRaw(bytes.subarray(-1), meant) }
  }

  it('does not have its key yet, and gives the answer of the one that came in between', async () => {
    const { client } = await start()
    const slow = await begin(client)
    expectCreated(await client.post(explicit, body, key), { isReplay: false })
    expectCreated(await slow.finish(), { isReplay: true })
  })

  it('answers 409 when it is complete while the one that came in between is under way', async () => {
    const gate = closedGate()
    const { client } = await start({ store: holdingFirst(gate) })
    const slow = await begin(client)
    const arrived = gate.arrival()
    const quick = client.post(explicit, body, key)
    await arrived
    expectInUse(await slow.finish())
    gate.open()
    expectCreated(await quick, { isReplay: false })
  })
})

describe('A POST with an Idempotency-Key that has failed', () => {
  const start = servicePerTest()
  const fails: Readonly<Record<string, () => never | Promise<ReturnType<typeof lost>>>> = {
    'has lost the answer': async () => lost(),
    rejects: () => Promise.reject(new Error('planted')),
    throws: () => {
      throw new Error('planted')
    },
  }
  const lost = () => left(unavailable('unknown', new Error('planted')))

  for (const [what, fail] of Object.entries(fails))
    it(`frees its key when the storage ${what}`, async () => {
      let tries = 0
      const store = (memory: SnippetStore): SnippetStore => ({
        ...memory,
        createOnce: (draft, retry) => (tries++ < 2 ? fail : memory.createOnce(draft, retry)),
      })
      const { client } = await start({ store })
      for (let i = 0; i < 2; i++) expect((await client.post(explicit, body, key)).status).to.be.within(500, 503)
      expectCreated(await client.post(explicit, body, key), { isReplay: false })
    })
})
