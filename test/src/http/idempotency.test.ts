import { hashToken, type Token } from '@snippets/adapters-http/middleware/tokens.js'
import { makeTokenLine, parseTokens } from '@snippets/apps/tokens/token-file.js'
import { type KeyedContent, maxFingerprintLength, maxKeyLength } from '@snippets/domain/entities/idempotency-key.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { snippetText } from '../support/http/wire.js'
import { servicePerTest } from '../support/service/mocha-service.js'
import { must } from '../support/snippets.js'

const list = '/api/snippets/'

describe('A POST with an Idempotency-Key', () => {
  const start = servicePerTest()

  const postWith = (token: string, url: string, key: string): Promise<Response> => {
    const headers = { 'Idempotency-Key': key, 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    return fetch(url + list, { method: 'POST', headers, body: snippetText })
  }

  it('separates the keys of each token', async () => {
    const names = ['ada', 'grace']
    const tokens = names.map((name): Token => ({ name, scope: 'write', hash: hashToken(`token-of-${name}`) }))
    const { url } = await start({ tokens })
    for (const name of [...names, ...names]) {
      const created = await postWith(`token-of-${name}`, url, 'k')
      expect(created.headers.get('Location')).to.equal(`${list}${name === 'ada' ? 1 : 2}/`)
    }
  })

  /** Records the keys and fingerprints that the store gets. */
  const recordIn =
    (seen: KeyedContent[]) =>
    (memory: SnippetStore): SnippetStore => ({
      ...memory,
      createOnce: (draft, keyed) => {
        seen.push(keyed)
        return memory.createOnce(draft, keyed)
      },
    })

  it('passes the same fingerprint in every release, for any order of fields', async () => {
    // storages keep it for a day, during which the service may be upgraded
    const fingerprint = '2cb34d1fe6bf64e2476a92f4a62e9b21db8eb03f4eaf00a517961126ce0c8337'
    const seen: KeyedContent[] = []
    const { client } = await start({ store: recordIn(seen) })
    const content = { title: 't', code: 'c', language: 'l' }
    for (const fields of [content, Object.fromEntries(Object.entries(content).toReversed())])
      await client.post(list, fields, { 'Idempotency-Key': 'k' })
    expect(seen).to.deep.equal(Array(2).fill({ key: 'k', fingerprint }))
  })

  it('passes the longest key of the longest token name within the limits of storages', async () => {
    const [longest, name] = ['k'.repeat(255), 'n'.repeat(64)]
    const seen: KeyedContent[] = []
    const tokens = must(parseTokens(makeTokenLine(name, 'write', 'secret')))
    const { url } = await start({ tokens, store: recordIn(seen) })
    for (const key of [longest, `${longest}k`]) await postWith('secret', url, key)
    expect(seen.map(({ key, fingerprint }) => [key.length, fingerprint.length])).to.deep.equal([
      [maxKeyLength, maxFingerprintLength],
    ])
    expect(isLeft(parseTokens(makeTokenLine(`${name}n`, 'write', 'secret')))).to.equal(true)
  })
})
