import { type Content, contentFieldNames } from '@snippets/domain/snippet.js'

/** A snippet without its texts: its object and numbers, the headers of its strings, the keys that it sorts by, and its places in all lists that there may be. */
const fixedBytes = 768

/** A key of a repeatable creation: itself, a fingerprint, an id, and its place in the map. */
export const keyBytes = 1024

/** V8 stores a string in one byte per character while all of its characters are in Latin-1, else in two. */
const isWide = (text: string): boolean => /[^\0-\xff]/.test(text)

/** How many bytes of memory a snippet takes at the most. It depends on the content alone, so that a sum of these never drifts. */
export const footprintOf = (content: Content): number =>
  contentFieldNames
    .map(field => content[field].length * (isWide(content[field]) ? 2 : 1))
    .reduce((sum, bytes) => sum + bytes, fixedBytes)
