import { windowOf } from '@snippets/domain/page.js'
import { anyRevision } from '@snippets/domain/revision.js'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { openPrepared } from '../../../support/mongo/database.js'
import { sortedBy } from '../../../support/queries.js'
import { anId, changes, draft } from '../../../support/snippets.js'
import { type Ask, idOf, newContent, newTitle, type Operations } from './operations.js'

/** What the service asks of its storage, through the same port. */
export const adapter = async (url: string): Promise<Operations> => {
  const { snippets } = await openPrepared(url)
  const newest = sortedBy('-created_at')
  return {
    detail: asked => {
      const id = anId(idOf(asked))
      return asking(() => snippets.get(id))
    },
    page: () =>
      asking(() => snippets.page({ filter: { language: 'python' }, ordering: newest, window: windowOf(3, 10) })),
    patch: asked => {
      const id = anId(idOf(asked))
      const named = changes({ title: newTitle(asked) })
      return asking(() => snippets.update(id, named, anyRevision))
    },
    create: asked => {
      const made = draft({ ...newContent(asked), created_at: Date.now() })
      return asking(() => snippets.create(made))
    },
  }
}

const asking =
  <A>(ask: () => TaskEither<unknown, A>): Ask =>
  async () => {
    const result = await ask()()
    if (isLeft(result)) throw new Error('the adapter failed', { cause: result.left })
  }
