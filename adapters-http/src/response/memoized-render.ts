import type { Render, RenderedItem } from './response.js'

/** The maximum number of characters in a memo. */
const maxLength = 8 * 1024 * 1024

/** The number of characters that an item without a text counts for. */
const entryLength = 64

/**
 * Returns a function that remembers the texts of items, because items are immutable. Pages then take less CPU, and a
 * crowd that asks for an item and does not read the responses holds one text instead of one for each client. A text is
 * remembered when its item is rendered for the second time: a snippet that was just written, and the new objects of a
 * database, may never be rendered again. A full memo is emptied.
 */
export const memoizeRender = <A extends object>(render: Render<A>): Render<A> => {
  let memo = new WeakMap<A, RenderedItem | undefined>()
  let length = 0
  return item => {
    const known = memo.get(item)
    if (known !== undefined) return known
    const rendered = render(item)
    const isRepeated = memo.has(item)
    const added = isRepeated ? rendered.json.length : entryLength
    length += added
    if (length > maxLength) {
      memo = new WeakMap()
      length = added
    }
    memo.set(item, isRepeated ? rendered : undefined)
    return rendered
  }
}
