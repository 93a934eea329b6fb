import { keyLifetimeMs } from '@snippets/domain/entities/idempotency-key.js'
import { contentFields, type Draft, type Snippet } from '@snippets/domain/entities/snippet.js'
import { notFound, stale, storageFull } from '@snippets/domain/ports/errors.js'
import type { SnippetStore } from '@snippets/domain/ports/stores.js'
import { expect } from 'chai'
import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import { anId, anyRevision, changes, draft, must, now } from '../../support/snippets.js'
import { itOnNewStorage } from '../../support/storage/open-storage.js'
import type { OpenStorage } from './storage-contract.js'
import { everything } from './stream.js'

const most = contentFields.code.limits.max
const large = draft({ code: 'x'.repeat(most) })
const small = draft({ code: 'x' })
const growing = changes({ code: '😀'.repeat(most) })
const keyed = (key: string) => ({ key, fingerprint: 'f' })

export const ceilingContract = (open: () => Promise<OpenStorage>): void => {
  const itOnNew = itOnNewStorage(open)

  describe('a ceiling', () => {
    itOnNew('rejects a creation that does not fit, with or without a key, and writes nothing', async ({ snippets }) => {
      expect(await fill(snippets, large)).to.have.length.within(10, 1000)
      await fill(snippets, small)
      const held = await everything(snippets)
      expect(await snippets.create(small)()).to.deep.equal(left(storageFull))
      expect(await snippets.createOnce(small, keyed('k'))()).to.deep.equal(left(storageFull))
      expect(await everything(snippets)).to.deep.equal(held)
    })

    itOnNew('rejects exactly the concurrent creations that do not fit', async ({ snippets }) => {
      const results = await Promise.all(Array.from({ length: 1100 }, () => snippets.create(large)()))
      const created = results.filter(isRight)
      expect(await everything(snippets)).to.have.length(created.length)
      expect(results.filter(isLeft)).to.deep.equal(Array(1100 - created.length).fill(left(storageFull)))
    })

    itOnNew('rejects an update that exceeds it, unless the update is NotFound or Stale', async ({ snippets }) => {
      const snippet = must(await snippets.create(small)())
      await fill(snippets, large)
      expect(await snippets.update(snippet.id, growing, anyRevision, now)()).to.deep.equal(left(storageFull))
      expect(await snippets.get(snippet.id)()).to.deep.equal(right(snippet))
      expect(await snippets.update(anId(1_000_000n), growing, anyRevision, now)()).to.deep.equal(left(notFound))
      expect(await snippets.update(snippet.id, growing, { oneOf: [] }, now)()).to.deep.equal(left(stale))
    })

    itOnNew('accepts replays, and updates that do not grow a snippet', async ({ snippets }) => {
      const { item } = must(await snippets.createOnce(small, keyed('first'))())
      const held = await fill(snippets, large)
      await fill(snippets, small)
      expect(await snippets.createOnce(small, keyed('first'))()).to.deep.equal(right({ item, isReplay: true }))
      for (const { id } of held) {
        for (const same of [changes({ code: 'y'.repeat(most) }), {}])
          must(await snippets.update(id, same, anyRevision, now)())
        expect(must(await snippets.update(id, changes({ code: 'z' }), anyRevision, now)()).version).to.equal(4)
      }
    })

    itOnNew('has room for updates and creations where only expired keys fill it', async ({ snippets }) => {
      const snippet = must(await snippets.create(small)())
      for (let key = 0; isRight(await snippets.createOnce(small, keyed(`key ${key}`))()); key++);
      const later = now + keyLifetimeMs
      expect(await snippets.update(snippet.id, growing, anyRevision, later - 1)()).to.deep.equal(left(storageFull))
      must(await snippets.update(snippet.id, growing, anyRevision, later)())
      must(await snippets.createOnce({ ...large, created_at: later }, keyed('new'))())
    })

    itOnNew('has room for as many snippets again after all are deleted', async ({ snippets }) => {
      const count = (await fill(snippets, large)).length
      for (let round = 0; round < 2; round++) {
        for (const { id } of await everything(snippets)) must(await snippets.delete(id, anyRevision)())
        expect(await fill(snippets, large)).to.have.length(count)
      }
    })
  })
}

/** Creates snippets with this content until the storage is full. */
const fill = async (snippets: SnippetStore, content: Draft): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  for (;;) {
    const result = await snippets.create(content)()
    if (!isRight(result)) return created
    created.push(result.right)
  }
}
