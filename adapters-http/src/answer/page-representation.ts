import { maxPageSize, type Page, type Window } from '@snippets/domain/page.js'
import type { Seek, Side } from '@snippets/domain/position.js'
import type { Answer } from './answer.js'
import { arrayAnswer } from './array-answer.js'
import { exactObjectOf, type Schema } from './json-schema.js'
import type { PageLinks } from './page-links.js'
import type { Representation } from './representation.js'

/** What a query says of the page that it wants. */
export type Paged = Readonly<{ window: Window; seek?: Seek }>

/** Another page of the same query, which begins or ends at its cursor if it has one. */
export type Neighbour = Readonly<{ page: number; side: Side; cursor: string | undefined }>

/** The pages before and after. */
export type Neighbours = Readonly<{ next: Neighbour | undefined; previous: Neighbour | undefined }>

export const neighboursOf = <A>(
  { window, seek }: Paged,
  { count, items, hasMore = false }: Page<A>,
  cursorOf: (item: A) => string | undefined,
): Neighbours => {
  const { page } = window
  const last = Math.max(1, Math.ceil(count / window.size))
  const hasNext = seek === undefined ? page < last : seek.side === 'before' || hasMore
  const hasPrevious = seek === undefined ? page > 1 : seek.side === 'after' || hasMore
  // nothing comes before a position whose page is empty, so the page after that one is the first
  const following = seek !== undefined && items.length === 0 ? 1 : page + 1
  // from past the end it leads to the last page, not to another empty one
  const preceding = Math.max(1, Math.min(page - 1, last))
  const beside = (page: number, side: Side, item: A | undefined): Neighbour => ({
    page,
    side,
    cursor: item && cursorOf(item),
  })
  return {
    next: hasNext ? beside(following, 'after', items.at(-1)) : undefined,
    previous: hasPrevious ? beside(preceding, 'before', items[0]) : undefined,
  }
}

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
