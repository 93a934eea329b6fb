import type { Neighbour, Neighbours } from './neighbours.js'

/** The links of a page as the envelope holds them, and as a Link header (RFC 8288) does: there each is followed by a comma. */
export type PageLinks = Readonly<{ json: string; header: string }>

type UrlOf = (page: number, cursor?: string) => string

/** A query string may have 4096 characters, but many clients and proxies take no more than 8 KiB of headers together. */
const maxUrlLength = 1000

/** `urlOf` makes the absolute URL of another page of the same query. Without a header when its URLs are long. */
export const pageLinks = ({ next, previous }: Neighbours, urlOf: UrlOf): PageLinks => {
  const urlTo = (to: Neighbour | undefined) =>
    to && urlOf(to.page, to.cursor === undefined ? '' : `&${to.side}=${to.cursor}`)
  const nextUrl = urlTo(next)
  const previousUrl = urlTo(previous)
  const json = `"next":${jsonOf(nextUrl)},"previous":${jsonOf(previousUrl)}`
  if (Math.max(nextUrl?.length ?? 0, previousUrl?.length ?? 0) > maxUrlLength) return { json, header: '' }
  const before = previousUrl === undefined ? '' : `<${urlOf(1)}>; rel="first", <${previousUrl}>; rel="prev", `
  return { json, header: nextUrl === undefined ? before : `${before}<${nextUrl}>; rel="next", ` }
}

const jsonOf = (url: string | undefined): string => (url === undefined ? 'null' : JSON.stringify(url))

export const areSame = (a: Neighbours, b: Neighbours): boolean =>
  isSame(a.next, b.next) && isSame(a.previous, b.previous)

const isSame = (a: Neighbour | undefined, b: Neighbour | undefined): boolean =>
  a?.page === b?.page && a?.cursor === b?.cursor
