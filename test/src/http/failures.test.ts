import { inspect } from 'node:util'
import {
  corrupt,
  idsExhausted,
  type ListError,
  searchTooBroad,
  storageFull,
  unavailable,
} from '@snippets/domain/errors.js'
import type { Page } from '@snippets/domain/page.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { type Either, left, right } from 'fp-ts/lib/Either.js'
import type { Client } from '../support/http/http-client.js'
import type { Answer } from '../support/http/raw-http.js'
import { header, pageOf, problemOf } from '../support/http/representations.js'
import type { LogEntry } from '../support/service/in-process.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const secret = 'the cause that clients must not see'
const content = { title: 't', code: 'c', language: 'l' }

type Ask = (client: Client) => Promise<Answer>

const reads: Readonly<Record<string, Ask>> = {
  'GET /api/snippets/': client => client.get('/api/snippets/'),
  'GET /api/snippets/1/': client => client.get('/api/snippets/1/'),
  'GET /api/snippets-viewset/': client => client.get('/api/snippets-viewset/'),
  'GET /api/snippets-viewset/1/': client => client.get('/api/snippets-viewset/1/'),
  'GET /api/users/': client => client.get('/api/users/'),
  'GET /api/users/1/': client => client.get('/api/users/1/'),
}

const writes: Readonly<Record<string, Ask>> = {
  'POST /api/snippets/': client => client.post('/api/snippets/', content),
  'POST /api/snippets/ with a key': client => client.post('/api/snippets/', content, { 'Idempotency-Key': 'k' }),
  'PUT /api/snippets/1/': client => client.put('/api/snippets/1/', content),
  'DELETE /api/snippets/1/': client => client.delete('/api/snippets/1/'),
  'POST /api/snippets-viewset/': client => client.post('/api/snippets-viewset/', content),
  'PUT /api/snippets-viewset/1/': client => client.put('/api/snippets-viewset/1/', content),
  'PATCH /api/snippets-viewset/1/': client => client.patch('/api/snippets-viewset/1/', {}),
  'DELETE /api/snippets-viewset/1/': client => client.delete('/api/snippets-viewset/1/'),
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

type Outcome = Readonly<{ answer: Answer; log: readonly LogEntry[] }>

const expectSecretKept = ({ answer, log }: Outcome): void => {
  expect(answer.text).not.to.include(secret)
  expect(inspect(answer.headers)).not.to.include(secret)
  const entries = log.filter(({ fields }) => inspect(fields, { depth: 5 }).includes(secret))
  expect(entries, 'log entries with the cause').to.have.length(1)
  expect(inspect(entries[0]?.fields)).to.include(header(answer, 'X-Request-Id'))
}

describe('A storage whose operations all fail', () => {
  const start = servicePerTest()
  const answerOf = async (fail: Fail, ask: Ask): Promise<Outcome> => {
    const { client, log } = await start({ store: () => failing(fail), userStore: () => failingUsers(fail) })
    return { answer: await ask(client), log }
  }
  const unapplied: Fail = async () => left(unavailable('unapplied', new Error(secret)))
  const unknown: Fail = async () => left(unavailable('unknown', new Error(secret)))

  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} answer 503 with Retry-After when it is unavailable`, async () => {
      const outcome = await answerOf(unapplied, ask)
      expect(outcome.answer.status).to.equal(503)
      expect(header(outcome.answer, 'Retry-After')).to.match(/^[1-9][0-9]?$/)
      const { detail } = problemOf(outcome.answer)
      expect(detail).not.to.match(/may have|unknown/)
      expect(detail.includes('Nothing was written.'), detail).to.equal(what in writes)
      expectSecretKept(outcome)
    })

  for (const [what, ask] of Object.entries(writes))
    it(`makes ${what} say so when the outcome is unknown`, async () => {
      const outcome = await answerOf(unknown, ask)
      expect(outcome.answer.status).to.equal(503)
      expect(header(outcome.answer, 'Retry-After')).to.match(/^[1-9][0-9]?$/)
      const { type, title, detail } = problemOf(outcome.answer)
      expect(`${title} ${detail}`).to.match(/may|unknown/)
      expect(type).not.to.equal(problemOf((await answerOf(unapplied, ask)).answer).type)
      expectSecretKept(outcome)
    })

  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} answer 500 when it finds a corrupt document, with the cause in the log only`, async () => {
      const outcome = await answerOf(async () => left(corrupt(new Error(secret))), ask)
      expect(outcome.answer.status).to.equal(500)
      expectSecretKept(outcome)
      expect(outcome.log.some(({ level }) => level === 'error')).to.equal(true)
    })

  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} answer 500 when it rejects`, async () => {
      const outcome = await answerOf(() => Promise.reject(new Error(secret)), ask)
      expect(outcome.answer.status).to.equal(500)
      expectSecretKept(outcome)
    })

  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} answer 500 when it throws`, async () => {
      const outcome = await answerOf(() => {
        throw new Error(secret)
      }, ask)
      expect(outcome.answer.status).to.equal(500)
      expectSecretKept(outcome)
    })

  it('leaves no request unanswered when it rejects with undefined', async () => {
    const { answer } = await answerOf(
      () => Promise.reject(undefined),
      client => client.get('/api/snippets/1/'),
    )
    expect(answer.status).to.equal(500)
  })
})

describe('A storage that takes too long to count', () => {
  const start = servicePerTest()
  const target = '/api/snippets-viewset/?page=2'

  it('has a page say that its count is a lower bound, and lead on to the next', async () => {
    const bound: Page<never> = { count: 21, countIsLowerBound: true, items: [] }
    const { client } = await start({ store: memory => ({ ...memory, page: () => async () => right(bound) }) })
    const answer = await client.get(target)
    expect(header(answer, 'Count-Precision')).to.equal('lower-bound')
    expect(pageOf(answer)).to.include({ count: 21 })
    expect(pageOf(answer).next).to.match(/page=3$/)
  })

  it('does not say so of a count that is exact', async () => {
    const { client } = await start({})
    expect((await client.get(target)).headers).to.not.have.property('count-precision')
  })
})

describe('A storage for which a search is too broad', () => {
  const start = servicePerTest()

  it('has the list answer 503 with a problem of its own', async () => {
    const store = (memory: SnippetStore) => ({ ...memory, page: () => async () => left(searchTooBroad) })
    const { client } = await start({ store })
    const answer = await client.get('/api/snippets-viewset/?search=e')
    expect(answer.status).to.equal(503)
    const detail = 'The search takes too long. Narrow it by language, title or longer terms.'
    expect(problemOf(answer)).to.include({ type: 'urn:snippets:search-too-broad', detail })
  })
})

describe('A storage that has used up its ids', () => {
  const start = servicePerTest()

  for (const path of ['/api/snippets/', '/api/snippets-viewset/'])
    it(`makes POST ${path} answer 507`, async () => {
      const { client } = await start({ store: memory => ({ ...memory, create: () => async () => left(idsExhausted) }) })
      const answer = await client.post(path, content)
      expect(answer.status).to.equal(507)
      expect(problemOf(answer).detail).to.match(/id/i)
    })
})

describe('A storage that is full', () => {
  const start = servicePerTest()
  const full = async () => left(storageFull)

  for (const [what, ask] of Object.entries(writes).filter(([what]) => !what.startsWith('DELETE')))
    it(`makes ${what} answer 507 and say that nothing was written`, async () => {
      const { client } = await start({
        store: memory => ({ ...memory, create: () => full, createOnce: () => full, update: () => full }),
      })
      const answer = await ask(client)
      expect(answer.status).to.equal(507)
      expect(problemOf(answer)).to.include({ type: 'urn:snippets:storage-full' })
      expect(problemOf(answer).detail).to.contain('Nothing was written.')
    })
})
