import { idempotencyKeyBytes } from '@snippets/adapters-memory/footprint.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import { keyLifetimeMs } from '@snippets/domain/ports/idempotency-key.js'
import { expect } from 'chai'
import { draft, must } from '../support/snippets.js'

describe('Idempotency keys in memory', () => {
  const at = (created_at: number) => draft({ created_at })

  it('take memory for a day, also after their snippets are deleted', async () => {
    const { snippets, heldBytes } = memoryStorage({ users: [] })
    for (let i = 0; i < 10; i++) {
      const { item } = must(await snippets.createOnce(at(i), { key: `k${i}`, fingerprint: 'f' })())
      must(await snippets.delete(item.id, anyRevision)())
    }
    expect(heldBytes()).to.equal(10 * idempotencyKeyBytes)
    must(await snippets.createOnce(at(5), { key: 'k3', fingerprint: 'f' })())
    expect(heldBytes()).to.equal(10 * idempotencyKeyBytes)

    const { id } = must(await snippets.create(at(keyLifetimeMs + 4))())
    must(await snippets.delete(id, anyRevision)())
    expect(heldBytes()).to.equal(5 * idempotencyKeyBytes)
    const later = must(await snippets.create(at(2 * keyLifetimeMs))())
    must(await snippets.delete(later.id, anyRevision)())
    expect(heldBytes()).to.equal(0)
  })

  it('expire and free memory, even if an older key was reused after its expiry', async () => {
    const { snippets, heldBytes } = memoryStorage({ users: [], ceilingBytes: 3.9 * idempotencyKeyBytes })
    const createUnder = async (key: string, time: number): Promise<void> => {
      const { item } = must(await snippets.createOnce(at(time), { key, fingerprint: 'f' })())
      must(await snippets.delete(item.id, anyRevision)())
    }
    // concurrent requests may arrive in another order than their times
    await createUnder('a', 10)
    await createUnder('b', 9)
    await createUnder('b', keyLifetimeMs + 9)
    expect(heldBytes()).to.equal(2 * idempotencyKeyBytes)
    await createUnder('d', keyLifetimeMs + 11)
    expect(heldBytes()).to.equal(2 * idempotencyKeyBytes)
  })

  it('expire after a key of a clock that was ahead', async () => {
    const { snippets, heldBytes } = memoryStorage({ users: [] })
    for (const [i, time] of [30 * keyLifetimeMs, 1, 2, keyLifetimeMs + 2].entries()) {
      const { item } = must(await snippets.createOnce(at(time), { key: `k${i}`, fingerprint: 'f' })())
      must(await snippets.delete(item.id, anyRevision)())
    }
    expect(heldBytes()).to.equal(2 * idempotencyKeyBytes)
  })
})
