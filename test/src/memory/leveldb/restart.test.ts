import { keyLifetimeMs } from '@snippets/domain/entities/idempotency-key.js'
import { rowFailure } from '@snippets/domain/ports/row-store.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { draft, must } from '../../support/snippets.js'
import { directories, openDirectory, tryDirectory } from '../../support/storage/data-directory.js'
import { storedKeys } from '../../support/storage/stored-keys.js'

describe('Memory storage that starts with a directory', () => {
  const newDirectory = directories()

  it('removes the oldest keys first, not the first ones on the disk', async () => {
    const directory = await newDirectory()
    const first = await openDirectory(directory)
    for (const [key, created_at] of Object.entries({ a: 10, b: 9 }))
      must(await first.snippets.createOnce(draft({ created_at }), { key, fingerprint: 'f' })())
    await first.close()
    const again = await openDirectory(directory)
    must(await again.snippets.create(draft({ created_at: keyLifetimeMs + 9 }))())
    expect(await storedKeys(again)).to.equal(1)
    await again.close()
  })

  it('does not open if the snippets exceed the memory limit, and says how much they take', async () => {
    const directory = await newDirectory()
    const before = await openDirectory(directory)
    const code = '😀'.repeat(10_000)
    await Promise.all(Array.from({ length: 100 }, async () => must(await before.snippets.create(draft({ code }))())))
    await before.close()
    const fault = 'does not fit in memory: it takes 4 MiB, and the limit is 1 MiB'
    expect(await tryDirectory(directory, { ceilingBytes: 1_500_000 })).to.deep.equal(
      left(rowFailure(`${fault}. Raise the memory limit and the heap limit of Node.js`)),
    )
  })
})
