import type { Collection, OptionalUnlessRequiredId } from 'mongodb'
import { duplicatesIn } from './rejections.js'

/** Inserts the documents. Ignores rejections by a unique index, for example of an existing `_id`. */
export const insertNew = async <D extends Readonly<{ _id: bigint }>>(
  collection: Collection<D>,
  documents: readonly OptionalUnlessRequiredId<D>[],
): Promise<void> => {
  if (documents.length > 0)
    await duplicatesIn(documents.length, () => collection.insertMany(documents, { ordered: false }))
}
