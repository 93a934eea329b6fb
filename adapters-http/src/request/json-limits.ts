/** Up to this size parsing costs less than counting, and there is no room for too many values. */
const smallBytes = 16 * 1024

/** No field holds an array or an object. What is unknown is ignored, so it may nest, but hardly as deep as this. */
export const maxLevels = 64

/** Members of objects and elements of arrays, together. */
export const maxValues = 10_000

const code = (character: string): number => character.charCodeAt(0)
const quotationMark = code('"')
const backslash = code('\\')
const comma = code(',')

/** Each adds to the depth; every other byte outside a text adds nothing. In UTF-8 they are part of no other character. */
const levels = new Int8Array(256)
for (const bracket of '[{') levels[code(bracket)] = 1
for (const bracket of ']}') levels[code(bracket)] = -1

/**
 * A large body lies in an ArrayBuffer that can be resized (GrowingBytes), whose bytes V8 reads some 20 times as slowly. So it is
 * copied into this, piece by piece.
 */
const piece = Buffer.alloc(smallBytes)

/**
 * Which limit this JSON exceeds, so that parsing it would keep other requests waiting. Its values are counted by the brackets
 * that open and the commas: as many as there are in a container, but one for an empty one.
 */
export const excessOf = (json: Buffer): 'depth' | 'values' | undefined => {
  if (json.length <= smallBytes) return undefined
  let depth = 0
  let values = 0
  let isText = false
  let at = 0
  for (let start = 0; start < json.length; start += piece.length) {
    const length = json.copy(piece, 0, start)
    for (; at < length; at++) {
      const byte = piece[at] ?? 0
      if (byte === quotationMark) isText = !isText
      else if (isText) at += byte === backslash ? 1 : 0
      else if (byte === comma) values++
      else {
        const level = levels[byte] ?? 0
        depth += level
        if (level > 0) values++
      }
      if (depth > maxLevels) return 'depth'
    }
    if (values > maxValues) return 'values'
    // what a backslash escapes may be the first byte of the next piece
    at -= length
  }
  return undefined
}
