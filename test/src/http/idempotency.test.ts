import { hashToken, type Token } from '@snippets/adapters-http/middleware/token.js'
import { expect } from 'chai'
import { snippetText } from '../support/http/wire.js'
import { servicePerTest } from '../support/service/mocha-service.js'

const key = { 'Idempotency-Key': 'k' }
const list = '/api/snippets/'

describe('A POST with an Idempotency-Key', () => {
  const start = servicePerTest()

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

  it('passes the same fingerprint in every release, for any order of fields', async () => {
    // storages keep it for a day, during which the service may be upgraded
    const known = '2cb34d1fe6bf64e2476a92f4a62e9b21db8eb03f4eaf00a517961126ce0c8337'
    const seen: string[] = []
    const { client } = await start({
      store: memory => ({
        ...memory,
        createOnce: (draft, keyed) => {
          seen.push(keyed.fingerprint)
          return memory.createOnce(draft, keyed)
        },
      }),
    })
    const content = { title: 't', code: 'c', language: 'l' }
    for (const fields of [content, Object.fromEntries(Object.entries(content).toReversed())])
      await client.post(list, fields, key)
    expect(seen).to.deep.equal([known, known])
  })
})
