import { maxPageSize, type Page, type Window } from '@snippets/domain/page.js'
import { type Answer, ok } from './answer.js'
import { exactObjectOf, type Schema } from './json-schema.js'
import type { Representation } from './representation.js'

type Neighbours = Readonly<{ next: number | undefined; previous: number | undefined }>

/** The pages before and after. From past the end, `previous` leads to the last page, not to another empty one. */
const neighboursOf = ({ page, size }: Window, count: number): Neighbours => {
  const last = Math.max(1, Math.ceil(count / size))
  return { next: page < last ? page + 1 : undefined, previous: page > 1 ? Math.min(page - 1, last) : undefined }
}

/** `urlOf` makes the absolute URL of another page of the same query. */
const pageJson = <A>(
  { count, items }: Page<A>,
  { show }: Representation<A>,
  window: Window,
  urlOf: (page: number) => string,
): string => {
  const { next, previous } = neighboursOf(window, count)
  const link = (page: number | undefined): string => (page === undefined ? 'null' : JSON.stringify(urlOf(page)))
  const results = items.map(item => show(item).json).join(',')
  return `{"count":${count},"next":${link(next)},"previous":${link(previous)},"results":[${results}]}`
}

/** The JSON of the page. Where there may be more items than counted, a header says so, as the envelope has no place for it. */
export const pageAnswer = <A>(
  page: Page<A>,
  representation: Representation<A>,
  window: Window,
  urlOf: (page: number) => string,
): Answer => {
  const answer = ok(pageJson(page, representation, window, urlOf))
  if (page.countIsLowerBound) answer.headers['Count-Precision'] = 'lower-bound'
  return answer
}

export const countPrecision: Readonly<Record<string, Schema>> = {
  'Count-Precision': {
    description: 'Sent when counting takes too long: there are as many items as `count` says, or more.',
    schema: { const: 'lower-bound' },
  },
}

const urlSchema = (description: string) => ({ type: ['string', 'null'], format: 'uri', description })

export const pageSchema = <A>({ name, example }: Representation<A>) => ({
  name: `${name}Page`,
  schema: exactObjectOf({
    count: {
      type: 'integer',
      minimum: 0,
      description: 'How many items all pages have together. With Count-Precision, at least so many.',
    },
    next: urlSchema('The next page, or null on the last.'),
    previous: urlSchema('The page before, or null on the first.'),
    results: { type: 'array', items: { $ref: `#/components/schemas/${name}` }, maxItems: maxPageSize },
  }),
  example: { count: 1, next: null, previous: null, results: [example] },
})
