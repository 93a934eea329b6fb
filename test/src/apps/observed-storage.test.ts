import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { observedStorage } from '@snippets/apps/service/observed-storage.js'
import { idsExhausted, unavailable } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/ports.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { draft } from '../support/snippets.js'

describe('An observed storage', () => {
  const { snippets, users } = memoryStorage({ users: [] })

  const resultsOf = async (store: Partial<SnippetStore>, use: (store: SnippetStore) => Promise<unknown>) => {
    const results: string[] = []
    const observed = observedStorage(
      { snippets: { ...snippets, ...store }, users },
      ({ operation, result, seconds }) => {
        expect(seconds).to.be.within(0, 1)
        results.push(`${operation} ${result}`)
      },
    )
    await use(observed.snippets)
    return results
  }

  it('reports the kind of failure of a creation', async () => {
    for (const [error, result] of [
      [unavailable('unapplied', 'cause'), 'unavailable'],
      [unavailable('unknown', 'cause'), 'outcome-unknown'],
      [idsExhausted, 'ids-exhausted'],
    ] as const) {
      const create = () => async () => left(error)
      expect(await resultsOf({ create }, store => store.create(draft())())).to.deep.equal([`snippets.create ${result}`])
    }
  })

  it('reports each batch of a stream, and its failure', async () => {
    const all = async function* () {
      yield right([])
      yield left(unavailable('unapplied', 'cause'))
    }
    const results = await resultsOf({ all }, async store => {
      for await (const _ of store.all());
    })
    expect(results).to.deep.equal(['snippets.all ok', 'snippets.all unavailable'])
  })
})
