import { maxPageSize, type Page, type Window } from '@snippets/domain/queries/page.js'
import type { Seek, Side } from '@snippets/domain/queries/position.js'
import { exactObjectOf, type Schema } from '../json-schema.js'
import { type Answer, ok, withHeaders } from './answer.js'
import { arrayOf } from './json-array.js'
import type { Representation } from './representation.js'

/** The part of a query that selects the page. */
export type Paged = Readonly<{ window: Window; seek?: Seek }>

/** A query, and the parts of links to its other pages. */
export type Listing<A, Q> = Readonly<{
  query: Q
  /** The parameters that all pages share, as they were sent, each followed by `&`. */
  sharedParameters: string
  /** The cursor of an item in the order of the query. Without it, links have only page numbers. */
  cursorOf?: (item: A) => string
}>

/** Another page of the same query, which begins or ends at its cursor if it has one. */
type Neighbour = Readonly<{ page: number; side: Side; cursor: string | undefined }>

/** The URL of the list, and another link for the Link header. */
type ListLinks = Readonly<{ url: string; toDescription: string }>

/** A query string may have thousands of characters, but many clients and proxies take no more than 8 KiB of headers together. */
const maxUrlLengthInHeader = 1000

export const pageAnswer = <A>(
  { query, sharedParameters, cursorOf }: Listing<A, Paged>,
  page: Page<A>,
  show: Representation<A>['show'],
  { url, toDescription }: ListLinks,
): Answer => {
  const { next, previous } = neighboursOf(query, page, cursorOf)
  const pageUrl = `${url}?${sharedParameters}page=`
  const urlTo = (to: Neighbour | undefined): string | null =>
    to === undefined ? null : `${pageUrl}${to.page}${to.cursor === undefined ? '' : `&${to.side}=${to.cursor}`}`
  const [nextUrl, previousUrl] = [urlTo(next), urlTo(previous)]
  const isLong = Math.max(nextUrl?.length ?? 0, previousUrl?.length ?? 0) > maxUrlLengthInHeader
  const links = [
    ...(previousUrl === null || isLong ? [] : [`<${pageUrl}1>; rel="first"`, `<${previousUrl}>; rel="prev"`]),
    ...(nextUrl === null || isLong ? [] : [`<${nextUrl}>; rel="next"`]),
    toDescription,
  ]
  const before = `{"count":${page.count},"next":${JSON.stringify(nextUrl)},"previous":${JSON.stringify(previousUrl)},"results":[`
  return withHeaders({
    Link: links.join(', '),
    ...(page.countIsLowerBound && { 'Count-Precision': 'lower-bound' }),
  })(ok(arrayOf(before, page.items, item => show(item).json)))
}

/** The pages before and after. */
const neighboursOf = <A>(
  { window: { page, size }, seek }: Paged,
  found: Page<A>,
  cursorOf: ((item: A) => string) | undefined,
): Readonly<{ next: Neighbour | undefined; previous: Neighbour | undefined }> => {
  const { count, items } = found
  const hasMore = 'hasMore' in found && found.hasMore
  const last = Math.max(1, Math.ceil(count / size))
  const hasNext = seek === undefined ? page < last : seek.side === 'before' || hasMore
  const hasPrevious = seek === undefined ? page > 1 : seek.side === 'after' || hasMore
  // nothing comes before a position whose page is empty, so the page after that one is the first
  const following = seek !== undefined && items.length === 0 ? 1 : page + 1
  // from past the end it leads to the last page, not to another empty one
  const preceding = Math.max(1, Math.min(page - 1, last))
  const beside = (number: number, side: Side, item: A | undefined): Neighbour => ({
    page: number,
    side,
    cursor: item && cursorOf?.(item),
  })
  return {
    next: hasNext ? beside(following, 'after', items.at(-1)) : undefined,
    previous: hasPrevious ? beside(preceding, 'before', items[0]) : undefined,
  }
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

const linkHeader = (description: string, example: string): Readonly<Record<string, Schema>> => ({
  Link: { description, required: true, schema: { type: 'string' }, example },
})

export const descriptionLinkHeader = linkHeader('To this document (RFC 8631).', '</api/schema/>; rel="service-desc"')

export const pageHeaders: Readonly<Record<string, Schema>> = {
  ...linkHeader(
    'To the first page, the page before and the next one (RFC 8288), where there are such and their URLs are short, and to this document.',
    '<http://127.0.0.1:8000/api/users/?page=2>; rel="next", </api/schema/>; rel="service-desc"',
  ),
  'Count-Precision': {
    description: 'Sent when counting takes too long: there are as many items as `count` says, or more.',
    schema: { const: 'lower-bound' },
  },
}
