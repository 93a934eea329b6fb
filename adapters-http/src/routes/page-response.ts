import type { Page, Window } from '@snippets/domain/queries/page.js'
import type { Seek, Side } from '@snippets/domain/queries/position.js'
import type { ListRequest } from '../request/list-query.js'
import { jsonArray } from '../response/json-array.js'
import { type HttpResponse, makeJsonResponse, type Render } from '../response/response.js'

/** The part of a query that selects the page. */
export type PagedQuery = Readonly<{ window: Window; seek?: Seek }>

export const makePageResponse = <A>(
  url: string,
  listRequest: ListRequest<A, PagedQuery>,
  page: Page<A>,
  render: Render<A>,
): HttpResponse => {
  const { next, previous } = adjacentPageUrls(listRequest, page, `${url}?${listRequest.listingParameters}`)
  const prefix = `{"count":${page.count},"next":${JSON.stringify(next)},"previous":${JSON.stringify(previous)},"results":[`
  const body = jsonArray(prefix, page.items, item => render(item).json)
  return makeJsonResponse(body, page.precision && { 'Count-Precision': page.precision })
}

/** Returns the URLs of the next and the previous page, with cursors if the list has them. */
const adjacentPageUrls = <A>(
  { query: { window, seek }, cursorOf }: ListRequest<A, PagedQuery>,
  { count, precision, items, hasMore }: Page<A>,
  urlPrefix: string,
): Readonly<{ next: string | null; previous: string | null }> => {
  const { page, size } = window
  const urlOf = (number: number, side: Side, item: A | undefined): string => {
    const cursor = item && cursorOf?.(item)
    return `${urlPrefix}page_size=${size}&page=${number}${cursor === undefined ? '' : `&${side}=${cursor}`}`
  }
  const linkAfter = (number: number) => urlOf(number, 'after', items.at(-1))
  const lastPage = Math.max(1, Math.ceil(count / size))
  // past the end, the previous page is the last page that is known to have items
  const linkBefore = (number: number) => urlOf(Math.max(1, Math.min(number, lastPage)), 'before', items[0])
  switch (seek?.side) {
    case undefined:
      return { next: hasMore ? linkAfter(page + 1) : null, previous: page > 1 ? linkBefore(page - 1) : null }
    case 'after': {
      // no row follows the cursor, so the previous page is the last page, which an exact count tells
      const isAfterLast = items.length === 0 && precision === undefined
      return { next: hasMore ? linkAfter(page + 1) : null, previous: linkBefore(isAfterLast ? lastPage : page - 1) }
    }
    case 'before':
      // if no row precedes the cursor, the next page is the first page
      return { next: linkAfter(items.length === 0 ? 1 : page + 1), previous: hasMore ? linkBefore(page - 1) : null }
  }
}
