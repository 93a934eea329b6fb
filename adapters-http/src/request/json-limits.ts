/** Bodies below this cost less to parse than to count; and none of them holds too many values, at two bytes for each. */
const smallBytes = 16 * 1024

/** No field holds an array or an object. What is unknown is ignored, so it may nest, but hardly as deep as this. */
export const maxLevels = 64

/** The members of objects and elements of arrays, as many as are separated by commas. */
export const maxValues = 10_000

const code = (character: string): number => character.charCodeAt(0)
const quotationMark = code('"')
const backslash = code('\\')
const comma = code(',')

/** Each adds to the depth; every other byte outside a text adds nothing. In UTF-8 they are part of no other character. */
const levels = new Int8Array(256)
for (const bracket of '[{') levels[code(bracket)] = 1
for (const bracket of ']}') levels[code(bracket)] = -1

/** V8 reads bytes of memory that can grow, as a large body has, some 20 times as slowly; so they are copied into this. */
const piece = Buffer.alloc(smallBytes)

/** What there is so much of in this JSON that parsing it would keep other requests waiting. */
export const excessOf = (json: Buffer): 'depth' | 'values' | undefined => {
  if (json.length <= smallBytes) return undefined
  let depth = 0
  let values = 1
  let isText = false
  let at = 0
  for (let start = 0; start < json.length; start += piece.length) {
    const length = json.copy(piece, 0, start)
    for (; at < length; at++) {
      const byte = piece[at] ?? 0
      if (byte === quotationMark) isText = !isText
      else if (isText) at += byte === backslash ? 1 : 0
      else if (byte === comma) values++
      else depth += levels[byte] ?? 0
      if (depth > maxLevels) return 'depth'
    }
    if (values > maxValues) return 'values'
    // what a backslash escapes may be the first byte of the next piece
    at -= length
  }
  return undefined
}
