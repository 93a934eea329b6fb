import { setImmediate as nextTurn } from 'node:timers/promises'
import { overloaded, type PageError, searchTooBroad } from '@snippets/domain/ports/errors.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import * as E from 'fp-ts/lib/Either.js'

/** The limit of searches, running or queued. A longer queue could hold every connection. */
const maxSearches = 64
const maxScanMs = 0.4 * maxAnswerMs
/** The longest time that a scan blocks the event loop, but for the items between two looks at the clock. */
const maxSliceMs = 5
/** The items between two looks at the clock, because a look costs as much as a test of a short item. */
const itemsPerLook = 16

type Result<A> = Promise<E.Either<PageError, A>>

/** Runs one search at a time, so that searches do not delay other requests. Rejects a search that starts late. */
export const createSearchQueue = () => {
  let searches = 0
  let previous: Promise<unknown> = Promise.resolve()
  return async <A>(startBy: number, search: () => Result<A>): Result<A> => {
    if (searches === maxSearches) return E.left(overloaded)
    searches++
    const found = previous.then(async () => {
      await nextTurn()
      return performance.now() > startBy ? E.left(overloaded) : search()
    })
    previous = Promise.allSettled([found])
    return found.finally(() => searches--)
  }
}

export type SearchQueue = ReturnType<typeof createSearchQueue>

/** Tests the items one by one, and returns the matches. Lets other requests run after each slice of time. */
export const scan = async <A>(items: readonly A[], isMatch: (item: A) => boolean): Result<readonly A[]> => {
  const endBy = performance.now() + maxScanMs
  const matches: A[] = []
  let sliceEnd = performance.now() + maxSliceMs
  for (let start = 0; start < items.length; start += itemsPerLook) {
    const now = performance.now()
    if (now >= endBy) return E.left(searchTooBroad)
    if (now >= sliceEnd) {
      await nextTurn()
      sliceEnd = performance.now() + maxSliceMs
    }
    for (const item of items.slice(start, start + itemsPerLook)) if (isMatch(item)) matches.push(item)
  }
  return E.right(matches)
}
