import type { CreateIndexesOptions, IndexDescription } from 'mongodb'
import { isBadValue } from './rejections.js'

/** The part of a collection that creates indexes. */
type IndexedCollection = Readonly<{
  createIndexes: (indexes: IndexDescription[], options?: CreateIndexesOptions) => Promise<unknown>
}>

/**
 * Creates the missing indexes of a collection with one scan of its rows, or none if the database rejects one of them. By
 * default a build waits for every voting member, even if a member is down.
 */
export const ensureIndexes = (collection: IndexedCollection, indexes: readonly IndexDescription[]): Promise<unknown> =>
  collection.createIndexes([...indexes], { commitQuorum: 'majority' }).catch(error => {
    // a standalone server rejects the option
    if (!isBadValue(error)) throw error
    return collection.createIndexes([...indexes])
  })
