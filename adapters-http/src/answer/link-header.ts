import type { Answer } from './answer.js'
import type { Schema } from './json-schema.js'
import type { Neighbours } from './page-representation.js'

/** A query string may have 4096 characters, but many clients and proxies take no more than 8 KiB of headers together. */
const longestUrl = 1000

/** The pages around a page, for a Link header (RFC 8288): each followed by a comma. Empty when their URLs are long. */
export const linkOf = ({ next, previous }: Neighbours, urlOf: (page: number) => string): string => {
  if (Math.max(next?.length ?? 0, previous?.length ?? 0) > longestUrl) return ''
  const before = previous === undefined ? '' : `<${urlOf(1)}>; rel="first", <${previous}>; rel="prev", `
  return next === undefined ? before : `${before}<${next}>; rel="next", `
}

export const withLink = (answer: Answer, link: string): Answer => {
  answer.headers.Link = link
  return answer
}

const header = (description: string, example: string): Readonly<Record<string, Schema>> => ({
  Link: { description, required: true, schema: { type: 'string' }, example },
})

export const descriptionLinkHeader = header('To this document (RFC 8631).', '</api/schema/>; rel="service-desc"')

export const pageLinkHeader = header(
  'To the first page, the page before and the next one (RFC 8288), where there are such and their URLs are short, and to this document.',
  '<http://127.0.0.1:8000/api/users/?page=2>; rel="next", </api/schema/>; rel="service-desc"',
)
