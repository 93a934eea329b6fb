import type { Collection, IndexDescription } from 'mongodb'
import { isBadValue } from './rejections.js'

/**
 * Creates the missing indexes of a collection with one scan of its rows, or none if the database rejects one of them.
 * By default a build waits for every voting member, even if a member is down.
 */
export const ensureIndexes = (
  collection: Pick<Collection, 'createIndexes'>,
  indexes: readonly IndexDescription[],
): Promise<unknown> =>
  collection.createIndexes([...indexes], { commitQuorum: 'majority' }).catch(error => {
    // a standalone server rejects the option
    if (!isBadValue(error)) throw error
    return collection.createIndexes([...indexes])
  })
