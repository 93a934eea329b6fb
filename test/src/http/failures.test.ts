import { inspect } from 'node:util'
import {
  corrupt,
  type ListError,
  overloaded,
  type PageError,
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
const requests = {
  'a complete list': (client: Client) => client.get(explicit),
  'a page': (client: Client) => client.get(generated),
  'a snippet': (client: Client) => client.get(`${explicit}1/`),
  users: (client: Client) => client.get('/api/users/'),
  'a POST': (client: Client) => client.post(explicit, content),
  'a POST with a key': (client: Client) => client.post(explicit, content, { 'Idempotency-Key': 'k' }),
  'a PUT': (client: Client) => client.put(`${explicit}1/`, content),
  'a PATCH': (client: Client) => client.patch(`${generated}1/`, {}),
  'a DELETE': (client: Client) => client.delete(`${explicit}1/`),
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
  const { 'a complete list': list, 'a PUT': put } = requests
  const failures: readonly (readonly [string, Ask, string, Fail, number, string])[] = [
    ...Object.entries(requests).map(
      ([what, ask]) => [what, ask, 'is unavailable', unapplied, 503, 'unavailable'] as const,
    ),
    [
      'a PUT',
      put,
      'loses the outcome',
      async () => left(unavailable('unknown', new Error(secret))),
      503,
      'outcome-unknown',
    ],
    ['a PUT', put, 'rejects the request', async () => left(rejected(new Error(secret))), 500, 'rejected'],
    ['a PUT', put, 'finds a corrupt row', async () => left(corrupt(new Error(secret))), 500, 'internal'],
    ['a PUT', put, 'rejects its promise', () => Promise.reject(new Error(secret)), 500, 'internal'],
    ['a PUT', put, 'throws', () => expect.fail(secret), 500, 'internal'],
    ['a complete list', list, 'finds a corrupt row', async () => left(corrupt(new Error(secret))), 500, 'internal'],
    ['a complete list', list, 'throws', () => expect.fail(secret), 500, 'internal'],
  ]
  for (const [what, ask, how, failure, status, problem] of failures)
    it(`${what} gets ${status} with ${problem} when the storage ${how}`, async () => {
      const response = await responseTo(ask, failure)
      expect(response.status).to.equal(status)
      expect(response.headers['retry-after'] ?? 'none').to.match(status === 503 ? /^[1-9][0-9]?$/ : /none/)
      const { type, detail } = problemOf(response)
      expect(type).to.equal(`urn:snippets:${problem}`)
      expect(detail.includes('Nothing was written.'), detail).to.equal(/rejected|unavailable/.test(problem))
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

  it('a list returns 503 when its search times out, and with Retry-After when too many searches are in progress', async () => {
    const { observe, first } = observer()
    let error: PageError = searchTooBroad
    const { client } = await start({ store: memory => ({ ...memory, page: () => async () => left(error) }), observe })
    const broad = await client.get(`${generated}?search=e`)
    expect([broad.status, broad.headers['retry-after']]).to.deep.equal([503, undefined])
    const detail = 'The search timed out. Add a filter or use other terms.'
    expect(problemOf(broad)).to.include({ type: 'urn:snippets:search-too-broad', detail })
    error = overloaded
    const full = await client.get(`${generated}?search=e`)
    expect([full.status, header(full, 'Retry-After')]).to.deep.equal([503, '1'])
    expect((await first(3)).at(-1)).to.include({ problem: 'urn:snippets:overloaded', limit: 'searches' })
  })
})
