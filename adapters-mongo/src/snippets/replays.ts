import { isExpired, replay } from '@snippets/domain/retry-key.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Creation } from './creation.js'
import type { RetryKeys } from './retry-keys.js'

/**
 * Answers the creations whose keys were used before, and returns the others. An insert that meets the key of another is
 * refused as a duplicate, and comes here again.
 */
export const answerReplays =
  (keys: RetryKeys) =>
  async (creations: readonly Creation[]): Promise<readonly Creation[]> => {
    const asked = creations.flatMap(({ retry }) => (retry === undefined ? [] : [retry.key]))
    if (asked.length === 0) return creations
    await keys.prepare()
    const firsts = await keys.find(asked)
    const open: Creation[] = []
    for (const creation of creations) {
      const { draft, retry } = creation
      const first = retry && firsts.get(retry.key)
      if (first === undefined) open.push(creation)
      else if (E.isLeft(first)) retry?.answer(first)
      else if (isExpired(first.right, draft.created_at)) {
        await keys.release(retry?.key ?? '', first.right.created_at)
        open.push(creation)
      } else retry?.answer(replay(first.right, draft, retry))
    }
    return open
  }
