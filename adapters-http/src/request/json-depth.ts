/** JSON.parse takes 17 ms for 256 KB of brackets. Smaller bodies cost less than finding out. */
const smallBytes = 16 * 1024

/** No field holds an array or an object. What is unknown is ignored, so it may nest, but hardly as deep as this. */
export const maxLevels = 64

const code = (character: string): number => character.charCodeAt(0)
const quotationMark = code('"')
const backslash = code('\\')

/** Each adds to the depth; every other byte outside a text adds nothing. In UTF-8 they are part of no other character. */
const levels = new Int8Array(256)
for (const bracket of '[{') levels[code(bracket)] = 1
for (const bracket of ']}') levels[code(bracket)] = -1

/** Whether JSON nests so deep that parsing it would keep other requests waiting. */
export const isTooDeep = (json: Buffer): boolean => {
  if (json.length <= smallBytes) return false
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0
    if (byte === quotationMark) at = endOfText(json, at)
    else depth += levels[byte] ?? 0
    if (depth > maxLevels) return true
  }
  return false
}

const endOfText = (json: Buffer, start: number): number => {
  let at = start + 1
  while (at < json.length && json[at] !== quotationMark) at += json[at] === backslash ? 2 : 1
  return at
}
