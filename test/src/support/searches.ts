import { parseSearch, type Search } from '@snippets/domain/list/search.js'
import { isSome } from 'fp-ts/lib/Option.js'
import { must } from './snippets.js'

/** The search that a client writes like this. */
export const aSearch = (text: string): Search => {
  const search = must(parseSearch(text))
  if (isSome(search)) return search.value
  throw new Error(`${JSON.stringify(text)} names no term`)
}
