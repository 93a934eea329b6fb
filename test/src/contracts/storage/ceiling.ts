import { notFound, stale, storageFull } from '@snippets/domain/errors.js'
import type { SnippetStore } from '@snippets/domain/ports.js'
import { anyRevision, noRevision } from '@snippets/domain/revision.js'
import { contentFields, type Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { anId, changes, draft, must } from '../../support/snippets.js'
import { withStorage } from './open-storage.js'
import type { StorageHarness } from './storage-contract.js'
import { everything } from './stream.js'

const most = contentFields.code.limits.max
const large = draft({ code: 'x'.repeat(most) })
const small = draft({ code: 'x' })

/** For storages that have a ceiling. */
export const ceilingContract = (open: NonNullable<StorageHarness['openSmall']>): void => {
  const onFull = (test: (snippets: SnippetStore, held: readonly Snippet[]) => Promise<void>) =>
    withStorage({ open }, {}, async ({ snippets }) => test(snippets, await fill(snippets)))

  describe('a ceiling', () => {
    it(
      'refuses a creation that does not fit, and writes nothing',
      onFull(async (snippets, held) => {
        expect(held).to.have.length.within(10, 1000)
        expect(await snippets.create(large)()).to.deep.equal(left(storageFull))
        expect(await everything(snippets)).to.deep.equal(held)
      }),
    )

    it(
      'refuses a creation with a key that does not fit, and gives the first answer again to one that was made',
      withStorage({ open }, {}, async ({ snippets }) => {
        const first = must(await snippets.createOnce(small, { key: 'first', fingerprint: 'f' })())
        await fill(snippets)
        while (isRight(await snippets.create(small)()));
        const held = await everything(snippets)
        expect(await snippets.createOnce(small, { key: 'k', fingerprint: 'f' })()).to.deep.equal(left(storageFull))
        expect(must(await snippets.createOnce(small, { key: 'first', fingerprint: 'f' })())).to.deep.equal({
          item: first.item,
          isReplay: true,
        })
        expect(await everything(snippets)).to.deep.equal(held)
      }),
    )

    it(
      'refuses only those of concurrent creations that do not fit',
      withStorage({ open }, {}, async ({ snippets }) => {
        const answers = await Promise.all(Array.from({ length: 1100 }, () => snippets.create(large)()))
        const created = answers.filter(isRight)
        expect(created.length).to.equal((await everything(snippets)).length)
        expect(answers.slice(created.length)).to.deep.equal(Array(1100 - created.length).fill(left(storageFull)))
      }),
    )

    it(
      'refuses an update that grows a snippet past it, and changes nothing',
      withStorage({ open }, {}, async ({ snippets }) => {
        const { id } = must(await snippets.create(small)())
        await fill(snippets)
        const before = await snippets.get(id)()
        expect(await snippets.update(id, changes({ code: large.code }), anyRevision)()).to.deep.equal(left(storageFull))
        expect(await snippets.get(id)()).to.deep.equal(before)
      }),
    )

    it(
      'lets updates through that do not grow a snippet',
      onFull(async (snippets, held) => {
        for (const { id, version } of held) {
          const same = await snippets.update(id, changes({ code: 'y'.repeat(most) }), anyRevision)()
          expect(must(same).version).to.equal(version + 1)
          expect(isRight(await snippets.update(id, {}, anyRevision)())).to.equal(true)
          expect(isRight(await snippets.update(id, changes({ code: 'z' }), anyRevision)())).to.equal(true)
        }
      }),
    )

    it(
      'answers NotFound and Stale rather than StorageFull',
      onFull(async (snippets, [first]) => {
        while (isRight(await snippets.create(small)()));
        const more = changes({ code: '😀'.repeat(most) })
        expect(await snippets.update(anId(first?.id ?? 0n), more, anyRevision)()).to.deep.equal(left(storageFull))
        expect(await snippets.update(anId(1_000_000n), more, anyRevision)()).to.deep.equal(left(notFound))
        expect(await snippets.update(anId(first?.id ?? 0n), more, noRevision)()).to.deep.equal(left(stale))
      }),
    )

    it(
      'has room for as much as was deleted, however often',
      onFull(async (snippets, held) => {
        for (let round = 0; round < 5; round++) {
          for (const { id } of await everything(snippets)) must(await snippets.delete(id, anyRevision)())
          expect(await fill(snippets)).to.have.length(held.length)
        }
        const [first] = await everything(snippets)
        expect(await snippets.delete(anId(first?.id ?? 0n), anyRevision)()).to.deep.equal(right(undefined))
        expect(isRight(await snippets.create(large)())).to.equal(true)
        expect(await snippets.create(large)()).to.deep.equal(left(storageFull))
      }),
    )
  })
}

/** Creates large snippets until the storage is full. */
const fill = async (snippets: SnippetStore): Promise<readonly Snippet[]> => {
  const created: Snippet[] = []
  for (;;) {
    const answer = await snippets.create(large)()
    if (!isRight(answer)) return created
    created.push(answer.right)
  }
}
