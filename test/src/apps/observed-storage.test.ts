import type { StorageOperation } from '@snippets/adapters-http/admin/metrics.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { observedStorage } from '@snippets/apps/observed-storage.js'
import { corrupt, idsExhausted, type StorageError, unavailable } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { draft } from '../support/snippets.js'

describe('An observed storage', () => {
  const { snippets, users } = memoryStorage({ users: [] })

  const outcomesOf = async (
    store: SnippetStore,
    use: (store: SnippetStore) => Promise<unknown>,
  ): Promise<readonly string[]> => {
    const operations: StorageOperation[] = []
    await use(observedStorage({ snippets: store, users }, operation => void operations.push(operation)).snippets)
    for (const { seconds } of operations) expect(seconds).to.be.within(0, 1)
    return operations.map(({ operation, outcome }) => `${operation} ${outcome}`)
  }

  const failures: readonly (readonly [string, StorageError])[] = [
    ['unavailable', unavailable('unapplied', 'cause')],
    ['outcome-unknown', unavailable('unknown', 'cause')],
    ['corrupt', corrupt('cause')],
    ['ids-exhausted', idsExhausted],
  ]
  for (const [outcome, error] of failures)
    it(`tells of a creation that is ${outcome}`, async () => {
      const failing = { ...snippets, create: () => async () => left(error as typeof idsExhausted) }
      expect(await outcomesOf(failing, store => store.create(draft())())).to.deep.equal([`snippets.create ${outcome}`])
    })

  it('tells of a creation whose key was used before', async () => {
    const create = (fingerprint: string) => async (store: SnippetStore) =>
      store.createOnce(draft(), { key: 'k', fingerprint })()
    expect(await outcomesOf(snippets, create('f'))).to.deep.equal(['snippets.create ok'])
    expect(await outcomesOf(snippets, create('another'))).to.deep.equal(['snippets.create key-reused'])
  })

  it('tells of each batch of a stream, and of one that fails', async () => {
    const failing: SnippetStore = {
      ...snippets,
      async *all() {
        yield* snippets.all()
        yield left(unavailable('unapplied', 'cause'))
      },
    }
    await snippets.create(draft())()
    const outcomes = await outcomesOf(failing, async store => {
      for await (const _ of store.all());
    })
    expect(outcomes).to.deep.equal(['snippets.all ok', 'snippets.all unavailable'])
  })
})
