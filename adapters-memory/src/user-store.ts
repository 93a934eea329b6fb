import type { User } from '@snippets/domain/entities/user.js'
import { notFound } from '@snippets/domain/ports/errors.js'
import type { UserStore } from '@snippets/domain/ports/stores.js'
import { offsetOf } from '@snippets/domain/queries/page.js'
import * as E from 'fp-ts/lib/Either.js'

export const createUserStore = (users: readonly User[]): UserStore => {
  const usersById = new Map(users.map(user => [user.id, user]))
  const sorted = [...usersById.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    get: id => async () => E.fromNullable(notFound)(usersById.get(id)),
    page: window => async () => {
      const from = offsetOf(window)
      const to = from + window.size
      return E.right({ count: sorted.length, items: sorted.slice(from, to), hasMore: to < sorted.length })
    },
  }
}
