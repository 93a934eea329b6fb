import type { Storage } from '@snippets/domain/ports/storage.js'
import type { Client } from '../support/http/http-client.js'
import { bodyOf } from '../support/samples.js'
import { startInProcess } from '../support/service/in-process.js'

/** So late that no database removes the idempotency keys, and always the same. */
const clock = { now: () => Date.UTC(2100) }

const list = '/api/snippets/'
const detail = (id: number): string => `/api/snippets-viewset/${id}/`

const contents = [
  {},
  { title: ' "\\\u0000\u2028\ufeff ', code: '\r\n\t\u001f', language: '__proto__' },
  { title: '😀'.repeat(100), code: 'é'.repeat(10_000), language: '\u{1d4b3}'.repeat(50) },
].map(bodyOf)

const onService = async <A>(
  { snippets, users }: Pick<Storage, 'snippets' | 'users'>,
  run: (client: Client) => Promise<A>,
) => {
  const { client, stop } = await startInProcess({ clock, store: () => snippets, userStore: () => users })
  return run(client).finally(stop)
}

const create = (client: Client, body: object, key?: string) =>
  client.post(list, body, key === undefined ? {} : { 'Idempotency-Key': key })

/** Writes snippets through the service: updated, deleted and with keys. */
export const writeSamples = (storage: Pick<Storage, 'snippets' | 'users'>): Promise<void> =>
  onService(storage, async client => {
    for (const content of contents) await create(client, content)
    for (const key of ['kept', 'deleted']) await create(client, bodyOf({ title: key }), key)
    await client.patch(detail(1), { code: 'changed' })
    for (const id of [2, 5]) await client.delete(detail(id))
    await create(client, bodyOf({ title: 'last' }))
  })

/** Returns the responses of the service that depend on what is stored. */
export const readSamples = (storage: Pick<Storage, 'snippets' | 'users'>): Promise<readonly unknown[]> =>
  onService(storage, async client => {
    const responses = [
      await client.get(list),
      await client.get(`${detail(1)}`),
      await client.get('/api/snippets-viewset/?search=chang'),
      await client.get('/api/users/'),
      await create(client, bodyOf({ title: 'kept' }), 'kept'),
      await create(client, bodyOf({ title: 'another' }), 'kept'),
      await create(client, bodyOf({ title: 'deleted' }), 'deleted'),
      await create(client, bodyOf({ title: 'new' })),
    ]
    return responses.map(({ status, text, headers }) => [status, text, headers.etag, headers['idempotency-replayed']])
  })
