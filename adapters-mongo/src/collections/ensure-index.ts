import type { Log } from '@snippets/application/log.js'
import { redactError } from '@snippets/application/remote-storage/loggable-error.js'
import type { IndexDescription } from 'mongodb'
import { isRejectedIndex } from './rejections.js'

/** Creates a missing index. Returns false and logs the consequence if the database permanently rejects the index. */
export const ensureIndex = async (
  collection: Readonly<{ createIndexes: (indexes: IndexDescription[]) => Promise<unknown> }>,
  index: IndexDescription,
  log: Log,
  consequence: string,
): Promise<boolean> => {
  try {
    await collection.createIndexes([index])
    return true
  } catch (error) {
    if (!isRejectedIndex(error)) throw error
    log.warn({ index: index.name, err: redactError(error) }, `the database rejects an index; ${consequence}`)
    return false
  }
}
