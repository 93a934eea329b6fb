import { keyBytes } from '@snippets/adapters-memory/footprint.js'
import type { PersistentStorage } from '@snippets/adapters-memory/leveldb/persistent-storage.js'
import { anyRevision, oneOf } from '@snippets/domain/entities/revision.js'
import { idsExhausted, keyReused, stale } from '@snippets/domain/ports/errors.js'
import { keyLifetimeMs } from '@snippets/domain/ports/retry-key.js'
import { maxId } from '@snippets/domain/values/id.js'
import { expect } from 'chai'
import { left } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { directories, openDirectory, tryDirectory } from '../../support/storage/data-directory.js'

describe('Memory storage that starts with a directory', () => {
  const newDirectory = directories()

  it('has every snippet as it was, in the order of the ids', async () => {
    const directory = await newDirectory()
    const before = await openDirectory(directory)
    const texts = ['plain', 'é ü 😀 \u2028 "quoted" \\ \n', '\0']
    for (const title of texts) must(await before.snippets.create(draft({ title, created_at: -1 }))())
    must(await before.snippets.update(anId(2n), changes({ code: 'new' }), anyRevision)())
    must(await before.snippets.delete(anId(1n), anyRevision)())
    const kept = await everything(before.snippets)
    const held = before.heldBytes()
    await before.close()

    const after = await openDirectory(directory)
    expect(await everything(after.snippets)).to.deep.equal(kept)
    expect(after.heldBytes()).to.equal(held)
    expect(kept.map(({ id, version }) => [id, version])).to.deep.equal([
      [2n, 2],
      [3n, 1],
    ])
    expect(await after.snippets.update(anId(2n), {}, oneOf([{ version: 1, created_at: -1 }]))()).to.deep.equal(
      left(stale),
    )
    await after.close()
  })

  it('repeats the answer to a key, also when its snippet was deleted', async () => {
    const directory = await newDirectory()
    const keys = ['k', 'K', '😀', '\0', 'x'.repeat(320)]
    const before = await openDirectory(directory)
    const first = new Map<string, unknown>()
    for (const key of keys) first.set(key, must(await before.snippets.createOnce(draft(), { key, fingerprint: 'f' })()))
    must(await before.snippets.delete(anId(2n), anyRevision)())
    const held = before.heldBytes()
    await before.close()

    const after = await openDirectory(directory)
    expect(after.heldBytes()).to.equal(held)
    for (const key of keys) {
      const again = must(await after.snippets.createOnce(draft({ created_at: 1 }), { key, fingerprint: 'f' })())
      expect(again).to.deep.equal({ ...(first.get(key) as object), isReplay: true })
      expect(await after.snippets.createOnce(draft(), { key, fingerprint: 'g' })()).to.deep.equal(left(keyReused))
    }
    expect(await everything(after.snippets)).to.have.length(keys.length - 1)
    await after.close()
  })

  it('forgets keys after a day, on the disk too', async () => {
    const directory = await newDirectory()
    const create = (storage: PersistentStorage, key: string, created_at: number) =>
      storage.snippets.createOnce(draft({ created_at }), { key, fingerprint: 'f' })()
    const bytes: number[] = []
    const reopen = async (work: (storage: PersistentStorage) => Promise<unknown>) => {
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
    expect(bytes).to.deep.equal([3, 3, 1, 0, 0].map(count => count * keyBytes))
  })

  it('assigns no id again, not even when the last snippet was deleted, and remembers that they are exhausted', async () => {
    const directory = await newDirectory()
    for (const expected of [maxId - 1n, maxId]) {
      const storage = await openDirectory(directory, { firstId: maxId - 1n })
      const { id } = must(await storage.snippets.create(draft())())
      expect(id).to.equal(expected)
      must(await storage.snippets.delete(id, anyRevision)())
      await storage.close()
    }
    const last = await openDirectory(directory)
    expect(await last.snippets.create(draft())()).to.deep.equal(left(idsExhausted))
    await last.close()
  })

  it('says how many snippets it has read back', async () => {
    const directory = await newDirectory()
    const before = await openDirectory(directory)
    const createUnder = (key: string) => before.snippets.createOnce(draft(), { key, fingerprint: 'f' })()
    await Promise.all(Array.from({ length: 2500 }, (_, i) => createUnder(`k${i}`)))
    await before.close()
    const seen: [number, number][] = []
    const after = await openDirectory(directory, { onProgress: (read, total) => seen.push([read, total]) })
    await after.close()
    expect(seen.at(-1)).to.deep.equal([5000, 5000])
    expect(seen.length).to.be.above(1)
  })

  it('refuses more snippets than memory may hold', async () => {
    const directory = await newDirectory()
    const before = await openDirectory(directory)
    for (let i = 0; i < 3; i++) must(await before.snippets.create(draft())())
    await before.close()
    const opened = await tryDirectory(directory, { ceilingBytes: 1500 })
    expect(opened).to.deep.equal(
      left('holds more than memory may. Raise MEMORY_LIMIT_MB, and the heap limit of Node.js with it'),
    )
  })
})
