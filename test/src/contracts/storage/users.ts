import { notFound } from '@snippets/domain/errors.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { anId } from '../../support/snippets.js'
import { openedOnce, withStorage } from './opened.js'
import type { StorageHarness } from './storage-contract.js'

const user = (id: bigint, username: string) => ({ id: anId(id), username })

export const usersContract = (harness: StorageHarness): void => {
  describe('keeps users that', () => {
    const sorted = [
      user(2n, 'grace'),
      user(9n, 'Ada 😀 \u0000 $x.y '),
      user(10n, 'ada'),
      user(2n ** 53n, 'even'),
      user(2n ** 53n + 1n, 'odd'),
      user(2n ** 63n - 1n, 'last'),
    ]
    const given = [4, 5, 0, 3, 2, 1].flatMap(i => sorted[i] ?? [])
    const storage = openedOnce(harness, { users: given })

    it('are found by id', async () => {
      for (const user of sorted) expect(await storage().users.get(user.id)()).to.deep.equal(right(user))
    })

    it('are not found under another id', async () => {
      for (const id of [1n, 3n, 2n ** 53n - 1n, 2n ** 53n + 2n, 2n ** 63n - 2n]) {
        expect(await storage().users.get(anId(id))()).to.deep.equal(left(notFound))
      }
    })

    it('come in pages by ascending id', async () => {
      for (const size of [1, 2, 4, 6, 100]) {
        for (let page = 1; page <= Math.ceil(sorted.length / size) + 1; page++) {
          const items = sorted.slice((page - 1) * size, page * size)
          expect(await storage().users.page({ page, size })()).to.deep.equal(right({ count: sorted.length, items }))
        }
      }
    })

    it('do not come past the end, however far', async () => {
      for (const page of [2, 1000, 2 ** 53 - 1]) {
        expect(await storage().users.page({ page, size: 100 })()).to.deep.equal(
          right({ count: sorted.length, items: [] }),
        )
      }
    })

    it(
      'may be none',
      withStorage(harness, {}, async ({ users }) => {
        expect(await users.page({ page: 1, size: 10 })()).to.deep.equal(right({ count: 0, items: [] }))
        expect(await users.get(anId(1n))()).to.deep.equal(left(notFound))
      }),
    )
  })
}
