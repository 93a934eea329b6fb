import { maxPageSize, type Page } from '@snippets/domain/page.js'
import type { Answer } from './answer.js'
import { arrayAnswer } from './array-answer.js'
import { exactObjectOf, type Schema } from './json-schema.js'
import type { PageLinks } from './page-links.js'
import type { Representation } from './representation.js'

export const pageAnswer = <A extends object>(
  { count, items }: Page<A>,
  { show }: Representation<A>,
  { json }: PageLinks,
): Answer | Promise<Answer> => arrayAnswer(`{"count":${count},${json},"results":[`, items, show)

/** Where there may be more items than counted, a header says so, as the envelope has no place for it. */
export const withCountPrecision = (answer: Answer, { countIsLowerBound }: Page<unknown>): Answer => {
  if (countIsLowerBound) answer.headers['Count-Precision'] = 'lower-bound'
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
