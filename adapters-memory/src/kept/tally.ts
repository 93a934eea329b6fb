import type { Head } from './head.js'
import { damaged } from './opening-failure.js'

/** What was read of one kind: how many rows, and the exclusive or of their hashes. */
export type Tally = Readonly<{ count: number; sum: number }>

/** Undefined when everything was read that the head tells of, else what is wrong. */
export const lossOf = (head: Head, snippets: Tally, keys: Tally): string | undefined => {
  const isWhole = (snippets.sum ^ keys.sum) === head.sum
  if (snippets.count === head.snippets && keys.count === head.keys && isWhole) return undefined
  const counts = `${snippets.count} of ${head.snippets} snippets and ${keys.count} of ${head.keys} keys were read`
  return damaged(`${counts}, and their checksum ${isWhole ? 'fits' : 'differs'}`)
}
