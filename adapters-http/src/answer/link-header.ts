import type { Answer } from './answer.js'
import type { Schema } from './json-schema.js'
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
