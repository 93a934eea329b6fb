import type { Collection, IndexDescriptionInfo } from 'mongodb'
import type { Log } from '../log.js'
import { isPageIndex, textOf, wantedIndexes } from './page-indexes.js'
import type { SnippetDocument } from './snippet-document.js'

/**
 * Creates the indexes that are missing, then drops outdated ones. Indexes that others made are left alone, and used when
 * they have a wanted definition.
 */
export const prepareIndexes = async (snippets: Collection<SnippetDocument>, log: Log): Promise<void> => {
  const existing = await existingIndexes(snippets)
  const serving = new Set(existing.filter(isPlain).map(({ key }) => textOf(key)))
  const missing = wantedIndexes.filter(({ key }) => !serving.has(textOf(key)))
  if (missing.length > 0) {
    await snippets.createIndexes(missing.map(({ name, key }) => ({ name, key: { ...key } })))
    log.info({ indexes: missing.map(({ name }) => name) }, 'created indexes')
  }
  const wanted = new Set(wantedIndexes.map(({ key }) => textOf(key)))
  for (const { name, key } of existing) {
    if (name === undefined || !isPageIndex(name) || wanted.has(textOf(key))) continue
    await snippets.dropIndex(name)
    log.info({ index: name }, 'dropped an index of an older shape')
  }
}

/** Whether an index holds every document, compares byte by byte, and may be used. */
const isPlain = ({ partialFilterExpression, sparse, collation, hidden }: IndexDescriptionInfo): boolean =>
  !partialFilterExpression && !sparse && !collation && !hidden

const existingIndexes = async (snippets: Collection<SnippetDocument>): Promise<IndexDescriptionInfo[]> => {
  try {
    return await snippets.listIndexes().toArray()
  } catch (error) {
    if (isNamespaceNotFound(error)) return []
    throw error
  }
}

/** The collection does not exist yet. */
const isNamespaceNotFound = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 26
