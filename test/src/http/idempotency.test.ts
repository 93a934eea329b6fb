import { hashOf, type Token } from '@snippets/adapters-http/doors/token.js'
import { retryKey } from '@snippets/adapters-http/request/idempotency-key.js'
import { unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { map, some } from 'fp-ts/lib/Option.js'
import { header, problemOf, snippetOf, snippetsOf } from '../support/http/representations.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const body = { title: 't', code: 'c', language: 'l' }
const key = { 'Idempotency-Key': 'k' }
const paths = ['/api/snippets/', '/api/snippets-viewset/']

/** Creates, and then loses the answer, as many times as it is told. */
const losingAnswers =
  (times: number) =>
  (memory: SnippetStore): SnippetStore => {
    let lost = 0
    return {
      ...memory,
      createOnce: (draft, retry) => async () => {
        const answer = await memory.createOnce(draft, retry)()
        return lost++ < times ? left(unavailable('unknown', new Error('the answer was lost'))) : answer
      },
    }
  }

const tokens = ['ada', 'grace'].map((name): Token => ({ name, scope: 'write', hash: hashOf(`token-of-${name}`) }))

describe('A POST with an Idempotency-Key', () => {
  const start = servicePerTest()

  for (const path of paths)
    it(`to ${path} can be repeated after its answer was lost`, async () => {
      const { client } = await start({ store: losingAnswers(2) })
      for (let i = 0; i < 2; i++) {
        const lost = await client.post(path, body, key)
        expect(lost.status).to.equal(503)
        expect(problemOf(lost).detail).to.contain('Idempotency-Key')
      }
      const answer = await client.post(path, body, key)
      expect(answer.status).to.equal(201)
      expect(header(answer, 'Idempotency-Replayed')).to.equal('true')
      expect(snippetsOf(await client.get('/api/snippets/'))).to.deep.equal([snippetOf(answer)])
    })

  it('takes quotation marks as a part of the key', async () => {
    const { client } = await start()
    for (const [name, id] of [
      ['k', '1'],
      ['"k"', '2'],
      ['k', '1'],
    ] as const)
      expect(snippetOf(await client.post('/api/snippets/', body, { 'Idempotency-Key': name })).id).to.equal(id)
  })

  it('keeps the keys of each token apart', async () => {
    const { url } = await start({ tokens })
    const create = async (name: string): Promise<unknown> => {
      const headers = { ...key, 'Content-Type': 'application/json', Authorization: `Bearer token-of-${name}` }
      const answer = await fetch(`${url}/api/snippets/`, { method: 'POST', headers, body: JSON.stringify(body) })
      return answer.headers.get('Location')
    }
    for (let i = 0; i < 2; i++) {
      expect(await create('ada')).to.match(/\/1\/$/)
      expect(await create('grace')).to.match(/\/2\/$/)
    }
  })

  it('creates again when a day has passed', async () => {
    let now = 1_800_000_000_000
    const { client } = await start({ clock: { now: () => now } })
    const create = async () => snippetOf(await client.post('/api/snippets/', body, key)).id
    expect(await create()).to.equal('1')
    now += 24 * 60 * 60 * 1000 - 1
    expect(await create()).to.equal('1')
    now += 1
    expect(await create()).to.equal('2')
    expect(await create()).to.equal('2')
  })
})

describe('The fingerprint of a content', () => {
  // storages keep it for a day, in which the service may be upgraded
  const known = '2cb34d1fe6bf64e2476a92f4a62e9b21db8eb03f4eaf00a517961126ce0c8337'

  for (const fields of [body, { language: 'l', code: 'c', title: 't' }])
    it(`stays the same from version to version, with ${Object.keys(fields).join(', ')}`, () => {
      const fingerprint = pipe(
        retryKey(some('k'), fields),
        map(key => key.fingerprint),
      )
      expect(fingerprint).to.deep.equal(some(known))
    })
})
