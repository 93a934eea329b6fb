import type { Body } from '../samples.js'
import type { HttpResponse } from './raw-http.js'

/** Parsed responses, which the client has already validated. Ids are strings with all digits. */
export type ShownSnippet = Body & Readonly<{ id: string; created_at: string }>
type ShownUser = Readonly<{ id: string; username: string }>
export type ShownPage<A> = Readonly<{
  count: number
  next: string | null
  previous: string | null
  results: readonly A[]
}>
export type ShownError = Readonly<{ field?: string; parameter?: string; code: string; message: string }>
type ShownProblem = Readonly<{
  type: string
  title: string
  status: number
  detail: string
  errors?: readonly ShownError[]
}>

/** Quotes ids first, because JSON.parse would round a large one. A JSON string escapes `"`, so only keys match. */
const parse = <A>({ text }: HttpResponse): A => JSON.parse(text.replace(/"id":([0-9]+)/g, '"id":"$1"'))

export const snippetOf = (response: HttpResponse): ShownSnippet => parse(response)
export const snippetsOf = (response: HttpResponse): readonly ShownSnippet[] =>
  parse<{ snippets: readonly ShownSnippet[] }>(response).snippets
export const pageOf = (response: HttpResponse): ShownPage<ShownSnippet> => parse(response)
export const userPageOf = (response: HttpResponse): ShownPage<ShownUser> => parse(response)
export const problemOf = (response: HttpResponse): ShownProblem => parse(response)

export const header = ({ headers }: HttpResponse, name: string): string => {
  const value = headers[name.toLowerCase()]
  if (value === undefined) throw new Error(`the response has no ${name}`)
  return value
}
