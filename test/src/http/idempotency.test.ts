import { hashToken, type Token } from '@snippets/adapters-http/access/token.js'
import { fingerprintOf } from '@snippets/adapters-http/request/idempotency-key.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { eventually } from '../support/eventually.js'
import type { Client } from '../support/http/http-client.js'
import type { HttpResponse } from '../support/http/raw-http.js'
import { header, problemOf, snippetsOf } from '../support/http/representations.js'
import { observer, post, snippetText } from '../support/http/wire.js'
import { closedGate } from '../support/service/gate.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const body = JSON.parse(snippetText)
const another = { ...body, title: 'another' }
const key = { 'Idempotency-Key': 'k' }
const list = '/api/snippets/'

/** Expects 201, with or without the header of a replay. */
const expectCreated = (response: HttpResponse, { isReplay }: Readonly<{ isReplay: boolean }>): void => {
  expect(response.status, response.text).to.equal(201)
  expect(response.headers['idempotency-replayed']).to.equal(isReplay ? 'true' : undefined)
}

const expectInUse = (response: HttpResponse): void => {
  expect(header(response, 'Retry-After')).to.equal('1')
  const { status, type, detail } = problemOf(response)
  expect([status, type]).to.deep.equal([409, 'urn:snippets:idempotency-key-in-use'])
  expect(detail).to.contain('Nothing was written')
}

const countOf = async (client: Client) => snippetsOf(await client.get(list)).length

describe('A POST with an Idempotency-Key', () => {
  const start = servicePerTest()

  const lost = left(unavailable('unknown', new Error('the reply was lost')))
  const failures: readonly (readonly [
    string,
    number,
    boolean,
    (create: () => Promise<unknown>) => Promise<typeof lost>,
  ])[] = [
    ['has lost the reply', 503, true, create => create().then(() => lost)],
    ['has lost the request', 503, false, async () => lost],
    ['throws', 500, false, () => expect.fail('planted')],
  ]
  for (const [what, status, isReplay, fail] of failures)
    it(`can be retried when the storage ${what}, and creates once`, async () => {
      let tries = 0
      const { client } = await start({
        store: memory => ({
          ...memory,
          createOnce: (...given) => {
            const create = memory.createOnce(...given)
            return tries++ < 2 ? () => fail(create) : create
          },
        }),
      })
      for (let i = 0; i < 2; i++) {
        const problem = problemOf(await client.post(list, body, key))
        expect(problem.status).to.equal(status)
        if (status === 503) expect(problem.detail).to.contain('Idempotency-Key')
      }
      expectCreated(await client.post(list, body, key), { isReplay })
      expect(await countOf(client)).to.equal(1)
    })

  it('separates the keys of each token', async () => {
    const names = ['ada', 'grace']
    const tokens = names.map((name): Token => ({ name, scope: 'write', hash: hashToken(`token-of-${name}`) }))
    const { url } = await start({ tokens })
    for (const name of [...names, ...names]) {
      const headers = { ...key, 'Content-Type': 'application/json', Authorization: `Bearer token-of-${name}` }
      const created = await fetch(url + list, { method: 'POST', headers, body: snippetText })
      expect(created.headers.get('Location')).to.equal(`${list}${name === 'ada' ? 1 : 2}/`)
    }
  })
})

describe('While a POST with an Idempotency-Key is in progress', () => {
  const start = servicePerTest()

  /** Starts a POST whose creation waits at a gate. */
  const startHeld = async () => {
    const gate = closedGate()
    const { observe, seen } = observer()
    let held = 0
    const holdingFirst = (memory: SnippetStore): SnippetStore => ({
      ...memory,
      createOnce: (draft, idempotencyKey) => async () => {
        if (held++ === 0) await gate.pass()
        return memory.createOnce(draft, idempotencyKey)()
      },
    })
    const { client } = await start({ store: holdingFirst, observe })
    const connection = await client.connect()
    const arrived = gate.arrival()
    connection.send(post(list, snippetText, 'Idempotency-Key: k'))
    await arrived
    return { client, connection, seen, open: gate.open }
  }

  it('another POST with the same key returns 409 with Retry-After for any valid body', async () => {
    const { client, connection, open } = await startHeld()
    expectInUse(await client.post(list, body, key))
    expectInUse(await client.post('/api/snippets-viewset/', another, key))
    expect((await client.post(list, { ...body, title: '' }, key)).status).to.equal(400)
    expectCreated(await client.post(list, body, { 'Idempotency-Key': 'K' }), { isReplay: false })
    open()
    expectCreated(await connection.requestRaw('', { method: 'POST', target: list }), { isReplay: false })
    expectCreated(await client.post(list, body, key), { isReplay: true })
    expect((await client.post(list, another, key)).status).to.equal(422)
    expect(await countOf(client)).to.equal(2)
  })

  it('its key stays in use until the storage has answered, even if its client disconnects', async () => {
    const { client, connection, seen, open } = await startHeld()
    connection.reset()
    await eventually(() => seen.some(({ clientLeft }) => clientLeft))
    expectInUse(await client.post(list, body, key))
    open()
    expectCreated(await client.post(list, body, key), { isReplay: true })
    expect(await countOf(client)).to.equal(1)
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
