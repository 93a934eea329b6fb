import type { Answer } from './raw-http.js'

/** Parsed responses, which the client has already validated. Ids are strings, to keep every digit. */
export type ShownSnippet = Readonly<{ id: string; title: string; code: string; language: string; created_at: string }>
export type ShownUser = Readonly<{ id: string; username: string }>
export type ShownPage<A> = Readonly<{
  count: number
  next: string | null
  previous: string | null
  results: readonly A[]
}>
export type ShownError = Readonly<{ field?: string; parameter?: string; code: string; message: string }>
export type ShownProblem = Readonly<{
  type: string
  title: string
  status: number
  detail: string
  errors?: readonly ShownError[]
}>

/** Quotes ids first, since JSON.parse would round a large one. Inside a JSON string `"` is escaped, so only keys match. */
const parse = <A>({ text }: Answer): A => JSON.parse(text.replace(/"id":([0-9]+)/g, '"id":"$1"'))

export const snippetOf = (answer: Answer): ShownSnippet => parse(answer)
export const snippetsOf = (answer: Answer): readonly ShownSnippet[] =>
  parse<{ snippets: readonly ShownSnippet[] }>(answer).snippets
export const pageOf = (answer: Answer): ShownPage<ShownSnippet> => parse(answer)
export const userOf = (answer: Answer): ShownUser => parse(answer)
export const userPageOf = (answer: Answer): ShownPage<ShownUser> => parse(answer)
export const problemOf = (answer: Answer): ShownProblem => parse(answer)

export const header = ({ headers }: Answer, name: string): string => {
  const value = headers[name.toLowerCase()]
  if (value === undefined) throw new Error(`the response has no ${name}`)
  return value
}

export const listed = (value: string): readonly string[] => value.split(/, */).sort()
