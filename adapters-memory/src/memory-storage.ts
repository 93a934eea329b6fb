import { idsExhausted, type NotFound, notFound, type Stale, stale } from '@snippets/domain/errors.js'
import { type Id, idFrom } from '@snippets/domain/id.js'
import { offsetOf } from '@snippets/domain/page.js'
import type { Expected, SnippetStore, UserStore } from '@snippets/domain/ports.js'
import { isRevision, type Snippet } from '@snippets/domain/snippet.js'
import type { User } from '@snippets/domain/user.js'
import { type Either, isLeft, left, right } from 'fp-ts/lib/Either.js'
import { isNone } from 'fp-ts/lib/Option.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { type Row, SnippetIndexes } from './snippet-indexes.js'

const batchSize = 256

type Options = Readonly<{ users: readonly User[]; firstId?: bigint }>

/** Keeps everything in this process, and only as long as it runs. Each operation is one synchronous step, so it is atomic. */
export const memoryStorage = ({ users, firstId }: Options): Readonly<{ snippets: SnippetStore; users: UserStore }> => ({
  snippets: snippetStore(firstId ?? 1n),
  users: userStore(users),
})

const snippetStore = (firstId: bigint): SnippetStore => {
  const rows = new Map<Id, Row>()
  const indexes = new SnippetIndexes()
  let created = 0

  const expect = (id: Id, expected: Expected): Either<NotFound | Stale, Row> => {
    const row = rows.get(id)
    if (row === undefined) return left(notFound)
    return isNone(expected) || expected.value.some(isRevision(row.snippet)) ? right(row) : left(stale)
  }

  return {
    create: ({ title, code, language, created_at }) =>
      inOneStep(() => {
        const id = idFrom(firstId + BigInt(created))
        if (isNone(id)) return left(idsExhausted)
        const snippet: Snippet = { id: id.value, title, code, language, created_at, version: 1 }
        rows.set(id.value, indexes.insert(created, snippet))
        created++
        return right(snippet)
      }),

    get: id =>
      inOneStep(() => {
        const row = rows.get(id)
        return row === undefined ? left(notFound) : right(row.snippet)
      }),

    update: (id, changes, expected) =>
      inOneStep(() => {
        const found = expect(id, expected)
        if (isLeft(found)) return found
        const row = found.right
        indexes.replace(row, { ...row.snippet, ...changes, version: row.snippet.version + 1 })
        return right(row.snippet)
      }),

    delete: (id, expected) =>
      inOneStep(() => {
        const found = expect(id, expected)
        if (isLeft(found)) return found
        rows.delete(id)
        indexes.remove(found.right)
        return right(undefined)
      }),

    page: query => inOneStep(() => right(indexes.page(query))),

    async *all() {
      let seen = -1
      for (;;) {
        const batch = indexes.following(seen, batchSize)
        const last = batch.at(-1)
        if (last === undefined) return
        seen = last.number
        yield right(batch.map(({ snippet }) => snippet))
      }
    },
  }
}

const userStore = (users: readonly User[]): UserStore => {
  const byId = new Map(users.map(user => [user.id, user]))
  const sorted = [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    get: id =>
      inOneStep(() => {
        const user = byId.get(id)
        return user === undefined ? left(notFound) : right(user)
      }),

    page: window =>
      inOneStep(() => {
        const from = offsetOf(window)
        return right({ count: sorted.length, items: sorted.slice(from, from + window.size) })
      }),
  }
}

const inOneStep =
  <E, A>(step: () => Either<E, A>): TaskEither<E, A> =>
  () =>
    Promise.resolve(step())
