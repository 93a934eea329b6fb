import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import type { KeptStorage } from '@snippets/adapters-memory/kept/kept-storage.js'
import type { Snippet } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
// so that nothing has to be loaded once permissions count
import 'classic-level'
import { anyRevision } from '@snippets/domain/revision.js'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { everything } from '../../contracts/storage/stream.js'
import { directories, openKept } from '../../support/kept.js'
import { asOrdinaryUser } from '../../support/ordinary-user.js'
import { changes, draft, must } from '../../support/snippets.js'

describe('In a directory that is made read-only', () => {
  const newDirectory = directories()
  const code = 'x'.repeat(10_000)

  /** Creates until it fails, which it does when LevelDB needs another file. */
  const fill = async ({ snippets }: KeptStorage): Promise<Readonly<{ kept: readonly Snippet[]; inDoubt: number }>> => {
    const kept: Snippet[] = []
    for (let i = 0; i < 500; i++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => snippets.create(draft({ code }))()))
      kept.push(...answers.filter(isRight).map(({ right }) => right))
      const refusals = answers.filter(isLeft).map(({ left }) => left)
      if (refusals.length === 0) continue
      expect(refusals.map(({ _tag }) => _tag)).to.deep.equal(refusals.map(() => 'Unavailable'))
      const inDoubt = refusals.filter(refusal => 'outcome' in refusal && refusal.outcome === 'unknown')
      return { kept, inDoubt: inDoubt.length }
    }
    throw new Error('LevelDB has made no other file')
  }

  it('writes fail, reads go on, and after a restart nothing is lost', async function () {
    this.timeout(60_000)
    const directory = await newDirectory()
    await asOrdinaryUser(directory, async () => {
      const storage = await openKept(directory)
      await chmod(join(directory, 'snippets'), 0o500)
      const { kept, inDoubt } = await fill(storage)
      const [first] = kept
      if (first === undefined) throw new Error('nothing could be written from the start')
      expect(await everything(storage.snippets)).to.deep.equal(kept)
      for (const write of [
        storage.snippets.create(draft()),
        storage.snippets.update(first.id, changes({ title: 'no' }), anyRevision),
        storage.snippets.delete(first.id, anyRevision),
      ])
        expect(await write()).to.have.nested.property('left.outcome', 'unapplied')
      expect(await everything(storage.snippets)).to.deep.equal(kept)

      expect(await storage.check()).to.have.property('_tag', 'Left')
      await storage.close()

      await chmod(join(directory, 'snippets'), 0o700)
      const again = await openKept(directory)
      const rows = await everything(again.snippets)
      expect(rows.slice(0, kept.length)).to.deep.equal(kept)
      expect(rows.length - kept.length).to.be.oneOf([0, inDoubt])
      must(await again.snippets.create(draft({ code: 'small' }))())
      await again.close()
    })
  })
})
