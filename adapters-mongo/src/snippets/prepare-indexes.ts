import { allShapes, type Shape } from '@snippets/domain/page.js'
import type { Collection, IndexDescriptionInfo } from 'mongodb'
import type { SnippetDocument } from './documents.js'
import type { Log } from './log.js'

export type Key = Readonly<Record<string, 1 | -1>>
export type Index = Readonly<{ name: string; key: Key }>

/** Ascending id is the last resort of every order, so that equal texts and dates still have one. */
export const sortOf = ({ ordering }: Pick<Shape, 'ordering'>): Key => ({
  ...Object.fromEntries(ordering.map(({ field, direction }) => [field, direction === 'asc' ? 1 : -1])),
  _id: 1,
})

/** What is held equal first, then the sort: the index holds the filter's matches as one run, in order. */
export const indexFor = (shape: Shape): Index => {
  const key: Key = { ...Object.fromEntries(shape.equal.map(field => [field, 1])), ...sortOf(shape) }
  return { name: nameOf(key), key }
}

/** The name carries the definition, so an index of another definition has another name. */
const nameOf = (key: Key): string => `page(${fieldsOf(key)})`
const fieldsOf = (key: object): string =>
  Object.entries(key)
    .map(([field, direction]) => `${field}: ${direction}`)
    .join(', ')
const isOurs = (name: string): boolean => /^page\(.*\)$/.test(name)

const primary = fieldsOf({ _id: 1 })

/** One index for each way to filter and order; some serve several. The one on `_id` is always there. */
export const wantedIndexes: readonly Index[] = [
  ...new Map(
    allShapes()
      .map(indexFor)
      .map(index => [index.name, index]),
  ).values(),
].filter(({ key }) => fieldsOf(key) !== primary)

/** An index of this key that leaves something out, or compares otherwise, does not serve. */
const serves = ({ partialFilterExpression, sparse, collation, hidden }: IndexDescriptionInfo): boolean =>
  !partialFilterExpression && !sparse && !collation && !hidden

/**
 * Makes the collection's indexes what they should be. What is missing is made before what is outdated goes. Indexes that
 * others made stay, and serve when they have the right definition.
 */
export const prepareIndexes = async (snippets: Collection<SnippetDocument>, log: Log): Promise<void> => {
  const existing = await existingIndexes(snippets)
  const serving = new Set(existing.filter(serves).map(({ key }) => fieldsOf(key)))
  const missing = wantedIndexes.filter(({ key }) => !serving.has(fieldsOf(key)))
  if (missing.length > 0) {
    await snippets.createIndexes(missing.map(({ name, key }) => ({ name, key: { ...key } })))
    log.info({ indexes: missing.map(({ name }) => name) }, 'created indexes')
  }
  const wanted = new Set(wantedIndexes.map(({ key }) => fieldsOf(key)))
  for (const { name, key } of existing) {
    if (name === undefined || !isOurs(name) || wanted.has(fieldsOf(key))) continue
    await snippets.dropIndex(name)
    log.info({ index: name }, 'dropped an index of an older shape')
  }
}

const existingIndexes = async (snippets: Collection<SnippetDocument>): Promise<IndexDescriptionInfo[]> => {
  try {
    return await snippets.listIndexes().toArray()
  } catch (error) {
    if (isNamespaceMissing(error)) return []
    throw error
  }
}

const isNamespaceMissing = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 26
