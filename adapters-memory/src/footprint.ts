import { type Content, contentFieldNames } from '@snippets/domain/snippet.js'

/** A snippet without its texts: objects, the headers of strings, its slot, and its places in all indexes that there may be. */
const fixedBytes = 1024

/** The texts, and the JSON that the HTTP adapter remembers of them, which is at most half as long again. */
const copies = 2.5

/** V8 stores a string in one byte per character while all of its characters are in Latin-1, else in two. */
const isWide = (text: string): boolean => /[^\0-\xff]/.test(text)

/** How many bytes of memory a snippet takes at the most. Depends on its content alone, so that a sum of these never drifts. */
export const footprintOf = (content: Content): number => {
  let characters = 0
  let bytesPerCharacter = 1
  for (const field of contentFieldNames) {
    characters += content[field].length
    if (bytesPerCharacter === 1 && isWide(content[field])) bytesPerCharacter = 2
  }
  return fixedBytes + copies * bytesPerCharacter * characters
}
