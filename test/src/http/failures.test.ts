import { inspect } from 'node:util'
import {
  corrupt,
  type ListError,
  overloaded,
  rejected,
  searchTooBroad,
  storageFull,
  unavailable,
} from '@snippets/domain/ports/errors.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { eventually } from '../support/eventually.js'
import type { Client } from '../support/http/http-client.js'
import type { HttpResponse } from '../support/http/raw-http.js'
import { header, pageOf, problemOf } from '../support/http/representations.js'
import { observer } from '../support/http/wire.js'
import { bodyOf } from '../support/samples.js'
import { servicePerTest, sharedService } from '../support/service/mocha-service.js'

const secret = 'the cause that clients must not see'
const content = bodyOf({ title: 't', code: 'c', language: 'l' })
const explicit = '/api/snippets/'
const generated = '/api/snippets-viewset/'

type Ask = (client: Client) => Promise<HttpResponse>

/** A request for each way in which a route calls the storage. */
const reads: Readonly<Record<string, Ask>> = {
  'a complete list': client => client.get(explicit),
  'a page': client => client.get(generated),
  'a snippet': client => client.get(`${explicit}1/`),
  users: client => client.get('/api/users/'),
}
const writes: Readonly<Record<string, Ask>> = {
  'a POST': client => client.post(explicit, content),
  'a POST with a key': client => client.post(explicit, content, { 'Idempotency-Key': 'k' }),
  'a PUT': client => client.put(`${explicit}1/`, content),
  'a PATCH': client => client.patch(`${generated}1/`, {}),
  'a DELETE': client => client.delete(`${explicit}1/`),
}

type Fail = () => Promise<Either<ListError, never>>

const failing = (fail: Fail): SnippetStore => ({
  create: () => fail,
  createOnce: () => fail,
  get: () => fail,
  update: () => fail,
  delete: () => fail,
  page: () => fail,
  async *all() {
    yield await fail()
  },
})

const failingUsers = (fail: Fail): UserStore => ({ get: () => fail, page: () => fail })

describe('With a failing storage,', () => {
  let fail: Fail
  const store = failing(() => fail())
  const service = sharedService({ store: () => store, userStore: () => failingUsers(() => fail()) })

  /** Expects the cause in one log entry with the request id of the response, and nowhere in the response. */
  const responseTo = async (ask: Ask, failure: Fail): Promise<HttpResponse> => {
    fail = failure
    const before = service.log.length
    const response = await ask(service.client)
    expect(response.text).not.to.include(secret)
    expect(inspect(response.headers)).not.to.include(secret)
    await eventually(() => service.log.length > before)
    const logged = service.log.slice(before)
    expect(logged, 'log entries').to.have.length(1)
    expect(logged[0]?.level).to.equal(response.status === 500 ? 'error' : 'warn')
    expect(inspect(logged[0], { depth: 5 }))
      .to.include(secret)
      .and.to.include(header(response, 'X-Request-Id'))
    return response
  }
  const unapplied: Fail = async () => left(unavailable('unapplied', new Error(secret)))

  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`${what} gets 503 with Retry-After when the storage is unavailable`, async () => {
      const response = await responseTo(ask, unapplied)
      expect(response.status).to.equal(503)
      expect(header(response, 'Retry-After')).to.match(/^[1-9][0-9]?$/)
      const { type, detail } = problemOf(response)
      expect(type).to.equal('urn:snippets:unavailable')
      expect(detail.includes('Nothing was written.'), detail).to.equal(what in writes)
    })

  for (const [how, failure, status, problem] of [
    ['does not know the outcome', async () => left(unavailable('unknown', new Error(secret))), 503, 'outcome-unknown'],
    ['rejects the request', async () => left(rejected(new Error(secret))), 500, 'rejected'],
    ['finds a corrupt row', async () => left(corrupt(new Error(secret))), 500, 'internal'],
    ['rejects its promise', () => Promise.reject(new Error(secret)), 500, 'internal'],
    ['throws', () => expect.fail(secret), 500, 'internal'],
  ] as readonly (readonly [string, Fail, number, string])[])
    it(`a PUT returns ${status} with ${problem} when the storage ${how}`, async () => {
      const response = await responseTo(client => client.put(`${explicit}1/`, content), failure)
      expect(response.status).to.equal(status)
      const { type, detail } = problemOf(response)
      expect(type).to.equal(`urn:snippets:${problem}`)
      expect(detail.includes('Nothing was written.'), detail).to.equal(problem === 'rejected')
      expect(response.headers['retry-after'] !== undefined).to.equal(status === 503)
    })

  for (const [how, failure] of [
    ['finds a corrupt row', async () => left(corrupt(new Error(secret)))],
    ['throws', () => expect.fail(secret)],
  ] as readonly (readonly [string, Fail])[])
    it(`a complete list returns 500 when the storage ${how}`, async () => {
      expect((await responseTo(client => client.get(explicit), failure)).status).to.equal(500)
    })
})

describe('A failing storage', () => {
  const start = servicePerTest()

  it('causes a 500 when it rejects its promise with undefined', async () => {
    const { client } = await start({ store: () => failing(() => Promise.reject(undefined)) })
    expect((await client.get(`${explicit}1/`)).status).to.equal(500)
  })

  it('causes a 507 that says that nothing was written when it is full', async () => {
    const { client } = await start({ store: memory => ({ ...memory, create: () => async () => left(storageFull) }) })
    const response = await client.post(explicit, content)
    expect(response.status).to.equal(507)
    expect(problemOf(response).type).to.equal('urn:snippets:storage-full')
    expect(problemOf(response).detail).to.contain('Nothing was written.')
  })
})

describe('With a slow storage,', () => {
  const start = servicePerTest()

  it('a page marks its count as a lower bound and links to the next page when counting times out', async () => {
    const bound = async () => right({ count: 21, countIsLowerBound: true as const, items: [] })
    const { client } = await start({ store: memory => ({ ...memory, page: () => bound }) })
    const response = await client.get(`${generated}?page=2`)
    expect(header(response, 'Count-Precision')).to.equal('lower-bound')
    expect(pageOf(response)).to.include({ count: 21 })
    expect(pageOf(response).next).to.match(/page=3$/)
    const exact = await start()
    expect((await exact.client.get(generated)).headers).to.not.have.property('count-precision')
  })

  it('a list returns 503 with search-too-broad when its search times out', async () => {
    const broad = async () => left(searchTooBroad)
    const { client } = await start({ store: memory => ({ ...memory, page: () => broad }) })
    const response = await client.get(`${generated}?search=e`)
    expect(response.status).to.equal(503)
    const detail = 'The search timed out. Add a filter or use other terms.'
    expect(problemOf(response)).to.include({ type: 'urn:snippets:search-too-broad', detail })
    expect(response.headers).to.not.have.property('retry-after')
  })

  it('a list returns 503 with Retry-After when too many searches are in progress', async () => {
    const { observe, first } = observer()
    const full = async () => left(overloaded)
    const { client } = await start({ store: memory => ({ ...memory, page: () => full }), observe })
    const response = await client.get(`${generated}?search=e`)
    expect([response.status, header(response, 'Retry-After')]).to.deep.equal([503, '1'])
    expect((await first(2)).at(-1)).to.include({ problem: 'urn:snippets:overloaded', limit: 'searches' })
  })
})
