import { notFound, stale } from '@snippets/domain/errors.js'
import { expect } from 'chai'
import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { none, some } from 'fp-ts/lib/Option.js'
import { changes, draft, must } from '../../support/snippets.js'
import { openedOnce } from './opened.js'
import type { StorageHarness } from './storage-contract.js'

const many = 20

export const concurrencyContract = (harness: StorageHarness): void => {
  describe('when many write at once', () => {
    const storage = openedOnce(harness, {})
    const create = async () => must(await storage().snippets.create(draft())())

    it('lets exactly one of those win that expect the same revision', async () => {
      const snippet = await create()
      const answers = await Promise.all(
        Array.from({ length: many }, (_, i) =>
          storage().snippets.update(snippet.id, changes({ title: `by ${i}` }), some([snippet]))(),
        ),
      )
      const won = answers.filter(isRight)
      expect(won).to.have.length(1)
      expect(answers.filter(answer => !isRight(answer))).to.deep.equal(Array(many - 1).fill(left(stale)))
      expect(await storage().snippets.get(snippet.id)()).to.deep.equal(won[0])
    })

    it('loses no update of those that expect nothing', async () => {
      const snippet = await create()
      const answers = await Promise.all(
        Array.from({ length: many }, (_, i) =>
          storage().snippets.update(
            snippet.id,
            changes(i % 2 === 0 ? { title: `by ${i}` } : { language: `by ${i}` }),
            none,
          )(),
        ),
      )
      const written = answers.map(must).sort((a, b) => a.version - b.version)
      expect(written.map(({ version }) => version)).to.deep.equal(Array.from({ length: many }, (_, i) => i + 2))
      const last = must(await storage().snippets.get(snippet.id)())
      expect(last).to.deep.equal(written.at(-1))
      expect(last.title).to.match(/^by \d*[02468]$/)
      expect(last.language).to.match(/^by \d*[13579]$/)
    })

    it('lets one delete win', async () => {
      const { id } = await create()
      const answers = await Promise.all(Array.from({ length: many }, () => storage().snippets.delete(id, none)()))
      expect(answers.filter(isRight)).to.have.length(1)
      expect(answers.filter(answer => !isRight(answer))).to.deep.equal(Array(many - 1).fill(left(notFound)))
    })

    it('lets either a delete or an update win where both expect the same revision', async () => {
      const snippet = await create()
      const [updated, deleted] = await Promise.all([
        storage().snippets.update(snippet.id, changes({ title: 'new' }), some([snippet]))(),
        storage().snippets.delete(snippet.id, some([snippet]))(),
      ])
      const now = await storage().snippets.get(snippet.id)()
      if (isRight(updated)) {
        expect(deleted).to.deep.equal(left(stale))
        expect(now).to.deep.equal(updated)
      } else {
        expect([updated, deleted]).to.deep.equal([left(notFound), right(undefined)])
        expect(now).to.deep.equal(left(notFound))
      }
    })

    it('gives each reader its own snippet', async () => {
      const created = await Promise.all(Array.from({ length: many }, create))
      const gone = created.filter((_, i) => i % 3 === 0)
      await Promise.all(gone.map(({ id }) => storage().snippets.delete(id, none)()))
      const read = await Promise.all([...created, ...created].map(({ id }) => storage().snippets.get(id)()))
      expect(read).to.deep.equal(
        [...created, ...created].map(snippet => (gone.includes(snippet) ? left(notFound) : right(snippet))),
      )
    })
  })
}
