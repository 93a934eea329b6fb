import { inspect } from 'node:util'
import {
  corrupt,
  idsExhausted,
  keyInUse,
  type ListError,
  overloaded,
  rejected,
  searchTooBroad,
  storageFull,
  unavailable,
} from '@snippets/domain/ports/errors.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { eventually } from '../support/eventually.js'
import type { Client } from '../support/http/http-client.js'
import type { HttpResponse } from '../support/http/raw-http.js'
import { header, pageOf, problemOf } from '../support/http/representations.js'
import { observer } from '../support/http/wire.js'
import { bodyOf } from '../support/samples.js'
import { servicePerTest, sharedService } from '../support/service/mocha-service.js'

const secret = 'the cause that clients must not see'
const cause = () => new Error(secret)
const content = bodyOf({ title: 't', code: 'c', language: 'l' })
const explicit = '/api/snippets/'
const generated = '/api/snippets-viewset/'

type Ask = (client: Client) => Promise<HttpResponse>

const list: Ask = client => client.get(explicit)
const post: Ask = client => client.post(explicit, content)
const postOnce: Ask = client => client.post(explicit, content, { 'Idempotency-Key': 'k' })
const put: Ask = client => client.put(`${explicit}1/`, content)

/** A request for each way in which a route calls the storage. */
const everyWay: readonly Ask[] = [
  ...[list, post, postOnce, put],
  client => client.get(generated),
  client => client.get(`${explicit}1/`),
  client => client.get('/api/users/'),
  client => client.patch(`${generated}1/`, {}),
  client => client.delete(`${explicit}1/`),
]

type Fail = () => Promise<Either<ListError, never>>

const unapplied: Fail = async () => left(unavailable('unapplied', cause()))
const corrupted: Fail = async () => left(corrupt(cause()))

const nothingWritten = 'Nothing was written.'
const failures: readonly (readonly [string, readonly Ask[], Fail, number, string])[] = [
  ['503 for a storage that is unavailable', everyWay, unapplied, 503, 'unavailable'],
  ['503 for an unknown outcome', [put], async () => left(unavailable('unknown', cause())), 503, 'outcome-unknown'],
  ['500 for a rejected command', [put], async () => left(rejected(cause())), 500, 'rejected'],
  ['500 for a corrupt row', [put, list], corrupted, 500, 'internal'],
  ['500 for a rejected promise', [put], () => Promise.reject(cause()), 500, 'internal'],
  ['500 for an exception', [put, list], () => expect.fail(secret), 500, 'internal'],
]

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

describe('With a failing storage, the service', () => {
  let fail: Fail
  const failNow: Fail = () => fail()
  const userStore: UserStore = { get: () => failNow, page: () => failNow }
  const service = sharedService({ store: () => failing(failNow), userStore: () => userStore })

  for (const [what, requests, failure, status, problem] of failures)
    it(`returns ${what}, and logs the cause, but does not send it`, async () => {
      fail = failure
      for (const ask of requests) {
        const before = service.log.length
        const response = await ask(service.client)
        expect(response.status).to.equal(status)
        expect(response.headers['retry-after'] ?? 'none').to.match(status === 503 ? /^[1-9][0-9]?$/ : /none/)
        const { type, detail } = problemOf(response)
        expect(type).to.equal(`urn:snippets:${problem}`)
        expect(detail.includes(nothingWritten), detail).to.equal(/rejected|unavailable/.test(problem))
        expect(inspect([response.text, response.headers])).not.to.include(secret)
        await eventually(() => service.log.length > before)
        const [line, ...others] = service.log.slice(before)
        expect(others).to.deep.equal([])
        expect(line?.level).to.equal(status === 500 ? 'error' : 'warn')
        expect(inspect(line, { depth: 5 }))
          .to.include(secret)
          .and.to.include(header(response, 'X-Request-Id'))
      }
    })
})

describe('The service', () => {
  const start = servicePerTest()

  it('marks the count of a page that is not exact, and links to the next page', async () => {
    for (const precision of ['lower-bound', 'estimate'] as const) {
      const inexact = async () => right({ count: 21, precision, items: [], hasMore: true })
      const { client } = await start({ store: memory => ({ ...memory, page: () => inexact }) })
      const response = await client.get(`${generated}?page=2`)
      expect(header(response, 'Count-Precision')).to.equal(precision)
      expect(pageOf(response)).to.include({ count: 21 })
      expect(pageOf(response).next).to.match(/page=3$/)
    }
    const exact = await start()
    expect((await exact.client.get(generated)).headers).to.not.have.property('count-precision')
  })

  it('returns the problem of an error without a cause, with Retry-After if a retry may succeed', async () => {
    const { observe, first } = observer()
    const { client } = await start({
      store: memory => ({
        ...memory,
        create: ({ title }) => TE.left(title === 'last' ? idsExhausted : storageFull),
        createOnce: () => TE.left(keyInUse),
        page: ({ filter }) => TE.left(filter.search ? searchTooBroad : overloaded),
      }),
      observe,
    })
    const [full, last] = [await post(client), await client.post(generated, { ...content, title: 'last' })]
    expect(problemOf(full).detail).to.contain(`${nothingWritten} Delete items to free space.`)
    expect(problemOf(last).detail).to.contain(`${nothingWritten} Deleting items does not help`)
    for (const [response, ...expected] of [
      [full, 507, 'storage-full', undefined],
      [last, 507, 'ids-exhausted', undefined],
      [await postOnce(client), 409, 'idempotency-key-in-use', '1'],
      [await client.get(`${generated}?search=e`), 503, 'search-too-broad', undefined],
      [await client.get(generated), 503, 'overloaded', '1'],
    ] as const) {
      const { status, headers } = response
      const name = problemOf(response).type.replace('urn:snippets:', '')
      expect([status, name, headers['retry-after']]).to.deep.equal(expected)
    }
    expect((await first(6)).at(-1)).to.include({ problem: 'urn:snippets:overloaded', limit: 'searches' })
  })
})
