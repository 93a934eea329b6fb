import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { observedStorage } from '@snippets/apps/service/observed-storage.js'
import { corrupt, idsExhausted, rejected, unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { draft } from '../support/snippets.js'

describe('An observed storage', () => {
  const { snippets, users } = memoryStorage({ users: [] })

  const outcomesOf = async (store: SnippetStore, use: (store: SnippetStore) => Promise<unknown>) => {
    const outcomes: string[] = []
    const { snippets } = observedStorage({ snippets: store, users }, ({ operation, outcome, seconds }) => {
      expect(seconds).to.be.within(0, 1)
      outcomes.push(`${operation} ${outcome}`)
    })
    await use(snippets)
    return outcomes
  }

  it('reports each error of a creation as an outcome', async () => {
    const errors = [
      unavailable('unapplied', 'cause'),
      unavailable('unknown', 'cause'),
      corrupt('cause'),
      idsExhausted,
      rejected('cause'),
    ]
    const outcomes = await Promise.all(
      errors.map(error => {
        const failing = { ...snippets, create: () => async () => left(error as typeof idsExhausted) }
        return outcomesOf(failing, store => store.create(draft())())
      }),
    )
    const expected = ['unavailable', 'outcome-unknown', 'corrupt', 'ids-exhausted', 'rejected']
    expect(outcomes).to.deep.equal(expected.map(outcome => [`snippets.create ${outcome}`]))
  })

  it('reports key-reused when the content of an idempotency key differs', async () => {
    const outcomes = await outcomesOf(snippets, async store => {
      for (const fingerprint of ['one', 'another']) await store.createOnce(draft(), { key: 'k', fingerprint })()
    })
    expect(outcomes).to.deep.equal(['snippets.create ok', 'snippets.create key-reused'])
  })

  it('reports each batch of a stream, and its failure', async () => {
    const failing: SnippetStore = {
      ...snippets,
      async *all() {
        yield* snippets.all()
        yield left(unavailable('unapplied', 'cause'))
      },
    }
    const outcomes = await outcomesOf(failing, async store => {
      for await (const _ of store.all());
    })
    expect(outcomes).to.deep.equal(['snippets.all ok', 'snippets.all unavailable'])
  })
})
