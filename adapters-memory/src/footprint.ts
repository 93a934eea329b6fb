import { type Content, contentFieldNames, snippetFields } from '@snippets/domain/entities/snippet.js'
import { orderingFields } from '@snippets/domain/list/ordering.js'
import { filterFields } from '@snippets/domain/list/page.js'
import { plansUpTo } from '@snippets/domain/list/plan.js'

/** A place in a list whose chunks are half full. */
const placeBytes = 16

/** A field in its object, with the header of its string or a number of its own. */
const fieldBytes = 40

/** A snippet without its texts: its object, its fields, and its places in all lists that there may be. */
const fixedBytes =
  360 + fieldBytes * Object.keys(snippetFields).length + placeBytes * plansUpTo(orderingFields.length).length

/** A key of a repeatable creation: itself, a fingerprint, an id, and its place in the map. */
export const keyBytes = 1024

/** V8 stores a string in one byte per character while all of its characters are in Latin-1, else in two. */
const isWide = (text: string): boolean => /[^\0-\xff]/.test(text)

const bytesOf = (text: string): number => text.length * (isWide(text) ? 2 : 1)

/** A text that lists sort by may need a key besides. */
const keyBytesOf = (text: string): number => (isWide(text) ? bytesOf(text) : 0)

/** How many bytes of memory a snippet takes at the most. It depends on the content alone, so that a sum of these never drifts. */
export const footprintOf = (content: Content): number => {
  let bytes = fixedBytes
  for (const field of contentFieldNames) bytes += bytesOf(content[field])
  for (const field of filterFields) bytes += keyBytesOf(content[field])
  return bytes
}
