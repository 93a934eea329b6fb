import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { footprintOf, idempotencyKeyBytes } from '@snippets/adapters-memory/state/footprint.js'
import { keyLifetimeMs } from '@snippets/domain/entities/idempotency-key.js'
import { firstVersion } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { anId, anyRevision, draft, must } from '../support/snippets.js'

describe('Idempotency keys in memory', () => {
  const snippetBytes = footprintOf(firstVersion(anId(1n), draft()))
  const { snippets, heldBytes } = createMemoryStorage({
    users: [],
    ceilingBytes: 3 * idempotencyKeyBytes + snippetBytes,
  })
  /** Creates and deletes a snippet at this time. */
  const create = async (created_at: number, key: string): Promise<void> => {
    const { item, isReplay } = must(await snippets.createOnce(draft({ created_at }), { key, fingerprint: 'f' })())
    if (!isReplay) must(await snippets.delete(item.id, anyRevision)())
  }

  it('take memory for a day after their first creation, also if their snippets are deleted, and then make room', async () => {
    // concurrent requests may arrive in another order than their times
    const steps: readonly (readonly [at: number, key: string, kept: number])[] = [
      [10, 'a', 1],
      [9, 'b', 2],
      [11, 'c', 3],
      [keyLifetimeMs + 8, 'a', 3],
      [keyLifetimeMs + 9, 'b', 3],
      [keyLifetimeMs + 10, 'd', 3],
      [2 * keyLifetimeMs + 10, 'e', 1],
      // a clock that is ahead, and is set back
      [30 * keyLifetimeMs, 'f', 1],
      [3 * keyLifetimeMs, 'g', 2],
      [3 * keyLifetimeMs + 1, 'h', 3],
      [4 * keyLifetimeMs + 1, 'i', 2],
    ]
    for (const [at, key, kept] of steps) {
      await create(at, key)
      expect(heldBytes() / idempotencyKeyBytes, key).to.equal(kept)
    }
  })
})
