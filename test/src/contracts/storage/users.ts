import { notFound } from '@snippets/domain/ports/errors.js'
import { makeWindow, offsetOf } from '@snippets/domain/queries/page.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { anId } from '../../support/snippets.js'
import { openForSuite } from '../../support/storage/open-storage.js'
import type { StorageHarness } from './storage-contract.js'

export const usersContract = (harness: StorageHarness): void => {
  describe('users', () => {
    const storage = openForSuite(harness, { users: [3, 2, 0, 1].flatMap(i => sorted[i] ?? []) })

    it('are found by id', async () => {
      for (const user of sorted) expect(await storage().users.get(user.id)()).to.deep.equal(right(user))
      for (const id of [1n, 2n ** 53n - 1n, 2n ** 53n + 2n])
        expect(await storage().users.get(anId(id))()).to.deep.equal(left(notFound))
    })

    it('are paged by ascending id, with empty pages past the end', async () => {
      const past = makeWindow(2 ** 53 - 1, 100)
      for (const window of [makeWindow(1, 3), makeWindow(2, 3), makeWindow(1, 100), makeWindow(2, 4), past]) {
        const rest = sorted.slice(offsetOf(window))
        const page = { count: sorted.length, items: rest.slice(0, window.size), hasMore: rest.length > window.size }
        expect(await storage().users.page(window)()).to.deep.equal(right(page))
      }
    })
  })
}

const sorted = [
  { id: anId(9n), username: 'Ada 😀 \u0000 $x.y ' },
  { id: anId(10n), username: 'ada' },
  { id: anId(2n ** 53n), username: 'even' },
  { id: anId(2n ** 53n + 1n), username: 'odd' },
]
