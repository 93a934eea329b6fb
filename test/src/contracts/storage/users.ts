import { notFound } from '@snippets/domain/errors.js'
import { windowOf } from '@snippets/domain/page.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { anId } from '../../support/snippets.js'
import { openForSuite, withStorage } from './open-storage.js'
import type { StorageHarness } from './storage-contract.js'

export const usersContract = (harness: StorageHarness): void => {
  describe('users', () => {
    const storage = openForSuite(harness, { users: [4, 5, 0, 3, 2, 1].flatMap(i => sorted[i] ?? []) })

    it('are found by id', async () => {
      for (const user of sorted) expect(await storage().users.get(user.id)()).to.deep.equal(right(user))
    })

    it('are not found under another id', async () => {
      for (const id of [1n, 3n, 2n ** 53n - 1n, 2n ** 53n + 2n, 2n ** 63n - 2n]) {
        expect(await storage().users.get(anId(id))()).to.deep.equal(left(notFound))
      }
    })

    it('are paged by ascending id', async () => {
      for (const size of [1, 2, 4, 6, 100]) {
        for (let page = 1; page <= Math.ceil(sorted.length / size) + 1; page++) {
          const items = sorted.slice((page - 1) * size, page * size)
          const answer = await storage().users.page(windowOf(page, size))()
          expect(answer).to.deep.equal(right({ count: sorted.length, items }))
        }
      }
    })

    it('have empty pages past the end, however far', async () => {
      for (const page of [2, 1000, 2 ** 53 - 1]) {
        const answer = await storage().users.page(windowOf(page, 100))()
        expect(answer).to.deep.equal(right({ count: sorted.length, items: [] }))
      }
    })

    it(
      'may be absent',
      withStorage(harness, {}, async ({ users }) => {
        expect(await users.page(windowOf(1, 10))()).to.deep.equal(right({ count: 0, items: [] }))
        expect(await users.get(anId(1n))()).to.deep.equal(left(notFound))
      }),
    )
  })
}

const user = (id: bigint, username: string) => ({ id: anId(id), username })

const sorted = [
  user(2n, 'grace'),
  user(9n, 'Ada 😀 \u0000 $x.y '),
  user(10n, 'ada'),
  user(2n ** 53n, 'even'),
  user(2n ** 53n + 1n, 'odd'),
  user(2n ** 63n - 1n, 'last'),
]
