import { inspect } from 'node:util'
import { corrupt, idsExhausted, type ListError, unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { type Either, left } from 'fp-ts/lib/Either.js'
import { type Client, httpClient } from '../support/http/http-client.js'
import type { Answer } from '../support/http/raw-http.js'
import { header, problemOf } from '../support/http/representations.js'
import { type LogEntry, startService } from '../support/service/in-process.js'

const secret = 'the cause that nobody outside may see'
const content = { title: 't', code: 'c', language: 'l' }

type Ask = (client: Client) => Promise<Answer>

const reads: Readonly<Record<string, Ask>> = {
  'the explicit list': client => client.get('/api/snippets/'),
  'a snippet in the explicit family': client => client.get('/api/snippets/1/'),
  'the generated list': client => client.get('/api/snippets-viewset/'),
  'a snippet in the generated family': client => client.get('/api/snippets-viewset/1/'),
  'the list of users': client => client.get('/api/users/'),
  'a user': client => client.get('/api/users/1/'),
}

const writes: Readonly<Record<string, Ask>> = {
  'POST in the explicit family': client => client.post('/api/snippets/', content),
  'PUT in the explicit family': client => client.put('/api/snippets/1/', content),
  'DELETE in the explicit family': client => client.delete('/api/snippets/1/'),
  'POST in the generated family': client => client.post('/api/snippets-viewset/', content),
  'PUT in the generated family': client => client.put('/api/snippets-viewset/1/', content),
  'PATCH in the generated family': client => client.patch('/api/snippets-viewset/1/', {}),
  'DELETE in the generated family': client => client.delete('/api/snippets-viewset/1/'),
}

type Fail = () => Promise<Either<ListError, never>>

const failing = (fail: Fail): SnippetStore => ({
  create: () => fail,
  get: () => fail,
  update: () => fail,
  delete: () => fail,
  page: () => fail,
  async *all() {
    yield await fail()
  },
})

const failingUsers = (fail: Fail): UserStore => ({ get: () => fail, page: () => fail })

/** What the service answers and logs when every operation of its storage goes wrong. */
const answerOf = async (fail: Fail, ask: Ask): Promise<{ answer: Answer; log: readonly LogEntry[] }> => {
  const service = await startService({ store: () => failing(fail), userStore: () => failingUsers(fail) })
  const client = httpClient(service.url)
  try {
    return { answer: await ask(client), log: service.log }
  } finally {
    client.close()
    await service.stop()
  }
}

const expectSecretKept = ({ answer, log }: { answer: Answer; log: readonly LogEntry[] }): void => {
  expect(answer.text).not.to.include(secret)
  expect(inspect(answer.headers)).not.to.include(secret)
  const telling = log.filter(({ fields }) => inspect(fields, { depth: 5 }).includes(secret))
  expect(telling, 'log entries with the cause').to.have.length(1)
  expect(inspect(telling[0]?.fields)).to.include(header(answer, 'X-Request-Id'))
}

describe('a storage that does not answer', () => {
  const unapplied: Fail = async () => left(unavailable('unapplied', new Error(secret)))
  const unknown: Fail = async () => left(unavailable('unknown', new Error(secret)))

  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} a 503 that says when to try again`, async () => {
      const told = await answerOf(unapplied, ask)
      expect(told.answer.status).to.equal(503)
      expect(header(told.answer, 'Retry-After')).to.match(/^[1-9][0-9]?$/)
      expect(problemOf(told.answer).detail).not.to.match(/may have|unknown/)
      expectSecretKept(told)
    })

  for (const [what, ask] of Object.entries(writes))
    it(`makes ${what} say so when it may have happened`, async () => {
      const told = await answerOf(unknown, ask)
      expect(told.answer.status).to.equal(503)
      expect(header(told.answer, 'Retry-After')).to.match(/^[1-9][0-9]?$/)
      const { type, title, detail } = problemOf(told.answer)
      expect(`${title} ${detail}`).to.match(/may|unknown/)
      expect(type).not.to.equal(problemOf((await answerOf(unapplied, ask)).answer).type)
      expectSecretKept(told)
    })
})

describe('a storage that holds something malformed', () => {
  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} a 500 whose cause is in the log alone`, async () => {
      const told = await answerOf(async () => left(corrupt(new Error(secret))), ask)
      expect(told.answer.status).to.equal(500)
      expectSecretKept(told)
      expect(told.log.some(({ level }) => level === 'error')).to.equal(true)
    })
})

describe('a storage that breaks its promise', () => {
  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} a 500 when it rejects`, async () => {
      const told = await answerOf(() => Promise.reject(new Error(secret)), ask)
      expect(told.answer.status).to.equal(500)
      expectSecretKept(told)
    })

  for (const [what, ask] of Object.entries({ ...reads, ...writes }))
    it(`makes ${what} a 500 when it throws`, async () => {
      const told = await answerOf(() => {
        throw new Error(secret)
      }, ask)
      expect(told.answer.status).to.equal(500)
      expectSecretKept(told)
    })

  it('makes no answer hang when it rejects with nothing', async () => {
    const { answer } = await answerOf(
      () => Promise.reject(undefined),
      client => client.get('/api/snippets/1/'),
    )
    expect(answer.status).to.equal(500)
  })
})

describe('a storage that has no id left', () => {
  for (const path of ['/api/snippets/', '/api/snippets-viewset/'])
    it(`makes POST ${path} a problem of its own`, async () => {
      const service = await startService({
        store: memory => ({ ...memory, create: () => async () => left(idsExhausted) }),
      })
      const client = httpClient(service.url)
      const answer = await client.post(path, content)
      expect(answer.status).to.equal(507)
      expect(problemOf(answer).detail).to.match(/id/i)
      client.close()
      await service.stop()
    })
})
