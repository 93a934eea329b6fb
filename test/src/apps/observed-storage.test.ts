import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { observedStorage } from '@snippets/apps/service/observed-storage.js'
import { corrupt, idsExhausted, rejected, unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { draft } from '../support/snippets.js'

describe('An observed storage', () => {
  const { snippets, users } = memoryStorage({ users: [] })

  const resultsOf = async (store: SnippetStore, use: (store: SnippetStore) => Promise<unknown>) => {
    const results: string[] = []
    const { snippets } = observedStorage({ snippets: store, users }, ({ operation, result, seconds }) => {
      expect(seconds).to.be.within(0, 1)
      results.push(`${operation} ${result}`)
    })
    await use(snippets)
    return results
  }

  it('reports each error of a creation as a result', async () => {
    const errors = [
      unavailable('unapplied', 'cause'),
      unavailable('unknown', 'cause'),
      corrupt('cause'),
      idsExhausted,
      rejected('cause'),
    ]
    const results = await Promise.all(
      errors.map(error => {
        const failing = { ...snippets, create: () => async () => left(error as typeof idsExhausted) }
        return resultsOf(failing, store => store.create(draft())())
      }),
    )
    const expected = ['unavailable', 'outcome-unknown', 'corrupt', 'ids-exhausted', 'rejected']
    expect(results).to.deep.equal(expected.map(result => [`snippets.create ${result}`]))
  })

  it('reports key-reused when the content of an idempotency key differs', async () => {
    const results = await resultsOf(snippets, async store => {
      for (const fingerprint of ['one', 'another']) await store.createOnce(draft(), { key: 'k', fingerprint })()
    })
    expect(results).to.deep.equal(['snippets.create ok', 'snippets.create key-reused'])
  })

  it('reports each batch of a stream, and its failure', async () => {
    const failing: SnippetStore = {
      ...snippets,
      async *all() {
        yield* snippets.all()
        yield left(unavailable('unapplied', 'cause'))
      },
    }
    const results = await resultsOf(failing, async store => {
      for await (const _ of store.all());
    })
    expect(results).to.deep.equal(['snippets.all ok', 'snippets.all unavailable'])
  })
})
