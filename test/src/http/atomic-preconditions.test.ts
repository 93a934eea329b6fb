import { setTimeout as wait } from 'node:timers/promises'
import type { Expected, SnippetStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { isSome } from 'fp-ts/lib/Option.js'
import { type Client, httpClient } from '../support/http/http-client.js'
import { header } from '../support/http/representations.js'
import { type Service, startService } from '../support/service/in-process.js'

const content = { title: 't', code: 'c', language: 'l' }

/** A store that takes a while for each answer, as one behind a network does: whoever reads first and writes then is late. */
const slow = (store: SnippetStore, expectations: Expected[]): SnippetStore => {
  const late =
    <A>(task: () => Promise<A>) =>
    async (): Promise<A> => {
      await wait(5)
      const answer = await task()
      await wait(5)
      return answer
    }
  return {
    ...store,
    get: id => late(store.get(id)),
    update: (id, changes, expected) => {
      expectations.push(expected)
      return late(store.update(id, changes, expected))
    },
    delete: (id, expected) => {
      expectations.push(expected)
      return late(store.delete(id, expected))
    },
  }
}

describe('If-Match on a storage that takes a while', function () {
  this.timeout(30_000)
  let service: Service
  let client: Client
  let expectations: Expected[]
  before(async () => {
    expectations = []
    service = await startService({ store: memory => slow(memory, expectations) })
    client = httpClient(service.url)
  })
  after(async () => {
    client.close()
    await service.stop()
  })

  const writes: Readonly<Record<string, (id: string, tag: string) => ReturnType<Client['get']>>> = {
    'PUT in the explicit family': (id, tag) => client.put(`/api/snippets/${id}/`, content, { 'If-Match': tag }),
    'DELETE in the explicit family': (id, tag) => client.delete(`/api/snippets/${id}/`, { 'If-Match': tag }),
    'PUT in the generated family': (id, tag) =>
      client.put(`/api/snippets-viewset/${id}/`, content, { 'If-Match': tag }),
    'PATCH in the generated family': (id, tag) => client.patch(`/api/snippets-viewset/${id}/`, {}, { 'If-Match': tag }),
    'DELETE in the generated family': (id, tag) => client.delete(`/api/snippets-viewset/${id}/`, { 'If-Match': tag }),
  }

  for (const [what, write] of Object.entries(writes))
    it(`lets exactly one ${what} of many win`, async () => {
      const created = await client.post('/api/snippets/', content)
      const id = header(created, 'Location').split('/').at(-2) ?? ''
      expectations.length = 0
      const answers = await Promise.all(Array.from({ length: 12 }, () => write(id, header(created, 'ETag'))))
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter(status => status < 300)).to.have.length(1)
      for (const status of statuses) expect(status).to.be.oneOf([200, 204, 404, 412])
      expect(expectations, 'the storage is told what is expected').to.have.length(12)
      for (const expected of expectations) expect(isSome(expected) && expected.value.length).to.equal(1)
    })
})
