import { type Answer, ok, type Shown } from './answer.js'
import { areLongerThan, largeArray } from './large-array.js'

/** Of characters. Writing a longer text at once would keep other requests waiting. */
const largeLength = 256 * 1024

/** An answer with an array of so many items as a page may have: one text, unless that is long. */
export const arrayAnswer = <A extends object>(
  before: string,
  items: readonly A[],
  show: (item: A) => Shown,
): Answer | Promise<Answer> => {
  const large = () => largeArray(before, items, item => show(item).json)
  if (areLongerThan(largeLength, items)) return large()
  const texts: string[] = []
  let length = 0
  for (const item of items) {
    const { json } = show(item)
    length += json.length
    if (length > largeLength) return large()
    texts.push(json)
  }
  return ok(`${before}${texts.join(',')}]}`)
}
