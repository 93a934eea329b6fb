import { hashToken, type Token } from '@snippets/adapters-http/access/token.js'
import { fingerprintOf } from '@snippets/adapters-http/request/idempotency-key.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { eventually } from '../support/eventually.js'
import type { Client } from '../support/http/http-client.js'
import type { HttpResponse } from '../support/http/raw-http.js'
import { header, problemOf, snippetOf, snippetsOf } from '../support/http/representations.js'
import { observer, post, snippetText } from '../support/http/wire.js'
import { closedGate, type Gate } from '../support/service/gate.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const body = JSON.parse(snippetText)
const another = { ...body, title: 'another' }
const key = { 'Idempotency-Key': 'k' }
const list = '/api/snippets/'
const bytes = post(list, snippetText, 'Idempotency-Key: k')
const creation = { method: 'POST', target: list }

const tokens = ['ada', 'grace'].map((name): Token => ({ name, scope: 'write', hash: hashToken(`token-of-${name}`) }))
const createAs = async (name: string, url: string): Promise<readonly [number, string | null]> => {
  const headers = { ...key, 'Content-Type': 'application/json', Authorization: `Bearer token-of-${name}` }
  const { status, headers: answered } = await fetch(url + list, { method: 'POST', headers, body: snippetText })
  return [status, answered.get('Location')]
}

/** Expects 201, with or without the header of a replay. */
const expectCreated = (response: HttpResponse, { isReplay }: Readonly<{ isReplay: boolean }>): void => {
  expect(response.status, response.text).to.equal(201)
  expect(response.headers['idempotency-replayed']).to.equal(isReplay ? 'true' : undefined)
}

const expectInUse = (response: HttpResponse): void => {
  expect(response.status).to.equal(409)
  expect(header(response, 'Retry-After')).to.equal('1')
  const { type, detail } = problemOf(response)
  expect(type).to.equal('urn:snippets:idempotency-key-in-use')
  expect(detail).to.contain('Nothing was written')
}

const listed = async (client: Client) => snippetsOf(await client.get(list))

describe('A POST with an Idempotency-Key', () => {
  const start = servicePerTest()

  it('can be retried when its response was lost', async () => {
    let lost = 0
    const store = (memory: SnippetStore): SnippetStore => ({
      ...memory,
      createOnce: (draft, idempotencyKey) => async () => {
        const result = await memory.createOnce(draft, idempotencyKey)()
        return lost++ < 2 ? left(unavailable('unknown', new Error('the reply was lost'))) : result
      },
    })
    const { client } = await start({ store })
    for (let i = 0; i < 2; i++) {
      const response = await client.post(list, body, key)
      expect(response.status).to.equal(503)
      expect(problemOf(response).detail).to.contain('Idempotency-Key')
    }
    const response = await client.post(list, body, key)
    expectCreated(response, { isReplay: true })
    expect(await listed(client)).to.deep.equal([snippetOf(response)])
  })

  it('separates the keys of each token', async () => {
    const { url } = await start({ tokens })
    for (let i = 0; i < 2; i++) {
      expect(await createAs('ada', url)).to.deep.equal([201, '/api/snippets/1/'])
      expect(await createAs('grace', url)).to.deep.equal([201, '/api/snippets/2/'])
    }
  })

  const lost = left(unavailable('unknown', new Error('planted')))
  for (const [what, fail] of Object.entries<() => Promise<typeof lost>>({
    'has lost the reply': async () => lost,
    throws: () => {
      throw new Error('planted')
    },
  }))
    it(`frees its key when the storage ${what}`, async () => {
      let tries = 0
      const { client } = await start({
        store: memory => ({
          ...memory,
          createOnce: (draft, idempotencyKey) => (tries++ < 2 ? fail : memory.createOnce(draft, idempotencyKey)),
        }),
      })
      for (let i = 0; i < 2; i++) expect((await client.post(list, body, key)).status).to.be.within(500, 503)
      expectCreated(await client.post(list, body, key), { isReplay: false })
    })
})

describe('While a POST with an Idempotency-Key is in progress', () => {
  const start = servicePerTest()

  /** Holds the first creation with a key at a gate before the storage. */
  const holdingFirst =
    ({ pass }: Gate) =>
    (memory: SnippetStore): SnippetStore => {
      let held = 0
      return {
        ...memory,
        createOnce: (draft, idempotencyKey) => async () => {
          if (held++ === 0) await pass()
          return memory.createOnce(draft, idempotencyKey)()
        },
      }
    }
  const startHeld = async () => {
    const gate = closedGate()
    const { observe, seen } = observer()
    const { client } = await start({ store: holdingFirst(gate), observe })
    // so that the client can check responses while the gate is closed
    await client.description()
    const connection = await client.connect()
    const arrived = gate.arrival()
    connection.send(bytes)
    await arrived
    return { client, connection, seen, open: gate.open, first: () => connection.requestRaw('', creation) }
  }

  it('another POST with the same key returns 409 with Retry-After for any valid body', async () => {
    const { client, first, open } = await startHeld()
    expectInUse(await client.post(list, body, key))
    expectInUse(await client.post('/api/snippets-viewset/', another, key))
    expect((await client.post(list, { ...body, title: '' }, key)).status).to.equal(400)
    expectCreated(await client.post(list, body, { 'Idempotency-Key': 'K' }), { isReplay: false })
    open()
    const created = await first()
    expectCreated(created, { isReplay: false })
    expectCreated(await client.post(list, body, key), { isReplay: true })
    expect((await client.post(list, another, key)).status).to.equal(422)
    expect(await listed(client)).to.have.length(2)
  })

  it('its key stays in use until the storage has answered, even if its client disconnects', async () => {
    const { client, connection, seen, open } = await startHeld()
    connection.reset()
    await eventually(() => seen.some(({ clientLeft }) => clientLeft))
    expectInUse(await client.post(list, body, key))
    open()
    expectCreated(await client.post(list, body, key), { isReplay: true })
    expect(await listed(client)).to.have.length(1)
  })
})

describe('The fingerprint of a content', () => {
  it('is the same in every release and for any order of fields', () => {
    // storages keep it for a day, during which the service may be upgraded
    const known = '2cb34d1fe6bf64e2476a92f4a62e9b21db8eb03f4eaf00a517961126ce0c8337'
    const content = { title: 't', code: 'c', language: 'l' }
    for (const fields of [content, Object.fromEntries(Object.entries(content).toReversed())])
      expect(fingerprintOf(fields)).to.equal(known)
  })
})
