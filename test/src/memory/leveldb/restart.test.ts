import type { MemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { idempotencyKeyBytes } from '@snippets/adapters-memory/state/footprint.js'
import { keyLifetimeMs } from '@snippets/domain/entities/idempotency-key.js'
import { anyRevision } from '@snippets/domain/entities/revision.js'
import { rowFailure } from '@snippets/domain/ports/errors.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { draft, must } from '../../support/snippets.js'
import { directories, openDirectory, tryDirectory } from '../../support/storage/data-directory.js'

describe('Memory storage that starts with a directory', () => {
  const newDirectory = directories()

  it('removes keys after a day, also from the disk', async () => {
    const directory = await newDirectory()
    const create = (storage: MemoryStorage, key: string, created_at: number) =>
      storage.snippets.createOnce(draft({ created_at }), { key, fingerprint: 'f' })()
    const bytes: number[] = []
    const reopen = async (work: (storage: MemoryStorage) => Promise<unknown>) => {
      const storage = await openDirectory(directory)
      await work(storage)
      for (const { id } of await everything(storage.snippets)) must(await storage.snippets.delete(id, anyRevision)())
      await storage.close()
      bytes.push(storage.heldBytes())
    }
    await reopen(storage => Promise.all(['b', 'a', 'late'].map((key, i) => create(storage, key, 10 - (i % 2)))))
    await reopen(async storage => expect(must(await create(storage, 'a', keyLifetimeMs + 9)).isReplay).to.equal(false))
    await reopen(storage => storage.snippets.create(draft({ created_at: keyLifetimeMs + 10 }))())
    await reopen(storage => storage.snippets.create(draft({ created_at: 3 * keyLifetimeMs }))())
    await reopen(async () => {})
    expect(bytes).to.deep.equal([3, 3, 1, 0, 0].map(count => count * idempotencyKeyBytes))
  })

  it('does not open if the snippets exceed the memory limit, and says how much they take', async () => {
    const directory = await newDirectory()
    const before = await openDirectory(directory)
    const code = '😀'.repeat(10_000)
    await Promise.all(Array.from({ length: 100 }, async () => must(await before.snippets.create(draft({ code }))())))
    await before.close()
    const fault = 'does not fit in memory: it takes 4 MiB, and the limit is 1 MiB'
    expect(await tryDirectory(directory, { ceilingBytes: 1_500_000 })).to.deep.equal(
      left(rowFailure(`${fault}. Raise MEMORY_LIMIT_MB and the heap limit of Node.js`)),
    )
  })
})
