import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { observedStores } from '@snippets/apps/metrics/observed-stores.js'
import { unavailable } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { onClock } from '../support/on-clock.js'
import { draft } from '../support/snippets.js'

describe('Observed stores', () => {
  it('report unknown outcomes, each batch of a stream, and its duration', async () => {
    const { snippets, users } = memoryStorage({ users: [] })
    const create = () => async () => left(unavailable('unknown', 'cause'))
    const all = async function* () {
      yield right([])
      yield left(unavailable('unapplied', 'cause'))
    }
    const results: string[] = []
    const observed = observedStores(
      { snippets: { ...snippets, create, all }, users },
      ({ operation, result, seconds }) => {
        results.push(`${operation} ${result} ${seconds}`)
      },
    )
    await onClock(1500, async () => {
      await observed.snippets.create(draft())()
      for await (const _ of observed.snippets.all());
    })
    expect(results).to.deep.equal([
      'snippets.create outcome-unknown 1.5',
      'snippets.all ok 1.5',
      'snippets.all unavailable 1.5',
    ])
  })
})
