import type { Render, RenderedItem } from './response.js'

/** The maximum number of characters in a memo. */
const maxLength = 8 * 1024 * 1024

/**
 * Returns a function that renders each object once, because items are immutable. Pages take less time, and a crowd that
 * asks for an item and does not read the responses holds one text instead of one for each client. Only the storage in
 * memory returns the same objects again: for the new objects of a database, the memo takes longer than the rendering. A
 * full memo is emptied.
 */
export const memoizeRender = <A extends object>(render: Render<A>): Render<A> => {
  let memo = new WeakMap<A, RenderedItem>()
  let length = 0
  return item => {
    const known = memo.get(item)
    if (known !== undefined) return known
    const rendered = render(item)
    length += rendered.json.length
    if (length > maxLength) {
      memo = new WeakMap()
      length = rendered.json.length
    }
    memo.set(item, rendered)
    return rendered
  }
}
