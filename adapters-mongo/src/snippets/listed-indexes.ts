import { type Db, type Document, type IndexDescriptionInfo, MongoServerError } from 'mongodb'
import { nameOf, textOf } from './page-indexes.js'

export type ListedIndex = Readonly<{
  name: string
  /** Its key, as text. */
  key: string
  /** Whether it holds every document and compares byte by byte. */
  isPlain: boolean
  isHidden: boolean
  isUnderBuild: boolean
}>

/**
 * A plain `listIndexes` does not tell an index under build from one that is done. With `includeBuildUUIDs`, one under
 * build comes as `{ spec, buildUUID }` (`listIndexesInLock` in MongoDB's src/mongo/db/catalog/list_indexes.cpp).
 */
export const listIndexes = async (db: Db, collection: string): Promise<readonly ListedIndex[]> => {
  try {
    return (await documentsOf(db, collection)).map(listed)
  } catch (error) {
    if (error instanceof MongoServerError && error.code === namespaceNotFound) return []
    throw error
  }
}

const documentsOf = async (db: Db, collection: string): Promise<readonly Document[]> => {
  try {
    const { cursor } = await db.command({ listIndexes: collection, includeBuildUUIDs: true })
    return cursor.firstBatch
  } catch (error) {
    if (!(error instanceof MongoServerError)) throw error
    // an engine that does not know the option lists an index when it is done
    return db.collection(collection).listIndexes().toArray()
  }
}

const namespaceNotFound = 26

const listed = (document: Document): ListedIndex => {
  const isUnderBuild = 'buildUUID' in document
  const { name, key, hidden, ...options } = (isUnderBuild ? document.spec : document) as IndexDescriptionInfo
  const isPlain = !options.partialFilterExpression && !options.sparse && !options.collation
  return { name: String(name), key: textOf(key), isPlain, isHidden: hidden === true, isUnderBuild }
}

/** Whether this service made it, in this version or an older one. */
export const isOurs = ({ name, key }: ListedIndex): boolean => name === nameOf(key)
