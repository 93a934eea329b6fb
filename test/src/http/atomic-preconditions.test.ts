import { setTimeout as wait } from 'node:timers/promises'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import type { Client } from '../support/http/http-client.js'
import { header } from '../support/http/representations.js'
import { bodyOf } from '../support/samples.js'
import { sharedService } from '../support/service/mocha-service.js'

const content = bodyOf({ title: 't', code: 'c', language: 'l' })

/** Delays operations like a network, so that a service that reads first and writes later loses the race. */
const slow = (store: SnippetStore): SnippetStore => {
  const late =
    <A>(task: () => Promise<A>) =>
    async (): Promise<A> => {
      await wait(5)
      const result = await task()
      await wait(5)
      return result
    }
  return {
    ...store,
    get: id => late(store.get(id)),
    update: (id, changes, expected) => late(store.update(id, changes, expected)),
    delete: (id, expected) => late(store.delete(id, expected)),
  }
}

type Write = (client: Client, id: string, headers: Readonly<{ 'If-Match': string }>) => ReturnType<Client['get']>

const writes: Readonly<Record<string, Write>> = {
  'PUT /api/snippets/{id}/': (client, id, headers) => client.put(`/api/snippets/${id}/`, content, headers),
  'DELETE /api/snippets/{id}/': (client, id, headers) => client.delete(`/api/snippets/${id}/`, headers),
  'PATCH /api/snippets-viewset/{id}/': (client, id, headers) =>
    client.patch(`/api/snippets-viewset/${id}/`, {}, headers),
}

describe('If-Match on a slow storage', () => {
  const service = sharedService({ store: slow })

  for (const [what, write] of Object.entries(writes))
    it(`lets exactly one of many concurrent ${what} succeed`, async () => {
      const { client } = service
      const created = await client.post('/api/snippets/', content)
      const id = header(created, 'Location').split('/').at(-2) ?? ''
      const headers = { 'If-Match': header(created, 'ETag') }
      const responses = await Promise.all(Array.from({ length: 12 }, () => write(client, id, headers)))
      const statuses = responses.map(({ status }) => status)
      expect(statuses.filter(status => status < 300)).to.have.length(1)
      for (const status of statuses) expect(status).to.be.oneOf([200, 204, 404, 412])
    })
})
