import { contentFieldNames, type Snippet, snippetFields } from '@snippets/domain/entities/snippet.js'
import { filterFields } from '@snippets/domain/queries/filter.js'
import { orderingFields } from '@snippets/domain/queries/ordering.js'
import { maxLists } from './snippet-table.js'

// These sizes are measured. test/src/memory/ceiling.test.ts checks that the counted bytes are an upper bound.

/** The bytes of an item in a sorted list whose chunks are half full. */
const listItemBytes = 16

/** The bytes of a field of an object, with its string header or heap number. */
const fieldBytes = 40

/** The bytes of a snippet without its texts: its object, its fields, and its items in all sorted lists. */
const fixedBytes = 360 + fieldBytes * Object.keys(snippetFields).length + listItemBytes * maxLists

/** The bytes of an idempotency key with its fingerprint, its id and its entry in the map. */
export const idempotencyKeyBytes = 1024

/** V8 stores a string in one byte per character if all characters are in Latin-1, otherwise in two. */
const isWide = (text: string): boolean => /[^\0-\xff]/.test(text)

/** Returns the bytes of the texts in a value, and of the items of a list or an object. */
const bytesOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length * (isWide(value) ? 2 : 1)
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((bytes, item) => bytes + fieldBytes + bytesOf(item), 0)
}

/** Returns the bytes of the key that `codePointKey` makes for a text. Only a wide text may need one. */
const codePointKeyBytes = (value: unknown): number => (typeof value === 'string' && isWide(value) ? bytesOf(value) : 0)

const sortedFields = [...new Set([...filterFields, ...orderingFields])]

/**
 * Returns an upper bound of the bytes of a snippet. It depends only on the snippet, so that a removal subtracts exactly
 * what the insertion added.
 */
export const footprintOf = (snippet: Snippet): number => {
  let bytes = fixedBytes
  for (const field of contentFieldNames) bytes += bytesOf(snippet[field])
  for (const field of sortedFields) bytes += codePointKeyBytes(snippet[field])
  return bytes
}
