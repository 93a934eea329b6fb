import { isIPv6 } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import type { RequestReader } from './reader.js'

export const schemaPath = '/api/schema/'

/** Where clients find the service: at PUBLIC_URL where the operator set it, else where the request was sent. */
export type Links = Readonly<{
  origin: RequestReader<string>
  location: (path: string) => string
  /** A Link header to the OpenAPI document (RFC 8631). */
  toDescription: string
}>

export const linksFrom = (publicUrl: O.Option<string>): Links => ({
  origin: {
    read: ctx =>
      pipe(
        publicUrl,
        O.getOrElse(() => `http://${authorityOf(ctx)}`),
        E.right,
      ),
  },
  location: path => baseOf(publicUrl) + path,
  toDescription: `<${baseOf(publicUrl)}${schemaPath}>; rel="service-desc"`,
})

/** Without one, links are relative to the request. */
const baseOf = O.getOrElse(() => '')

/** A name of at most 253 characters, an IPv4 address or an IPv6 address in brackets, and a port (RFC 3986, 3.2.2 and 3.2.3). */
const authority = /^(?:[A-Za-z0-9][A-Za-z0-9._~-]{0,252}|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?$/

const isWellFormed = (text: string): boolean => {
  const match = authority.exec(text)
  if (match === null) return false
  const [, address, port] = match
  return (address === undefined || isIPv6(address)) && Number(port ?? 0) <= 65_535
}

/** HTTP/1.1 demands exactly one Host (RFC 9112, 3.2). Links repeat it, so it may hold nothing that a link cannot carry. */
export const hasProperHost = ({ headers, httpVersion }: Context['req']): boolean =>
  headers.host === undefined ? httpVersion === '1.0' : isWellFormed(headers.host)

/** The authority of an absolute `http` or `https` target. */
const authorityIn = (target: string): string | undefined => /^https?:\/\/([^/?]*)/i.exec(target)?.[1]

/** RFC 9110, 4.2.1 and 4.2.4: a sender must not leave out the host, and a user name is no part of it. */
export const hasProperTarget = ({ url = '' }: Context['req']): boolean => {
  if (url.startsWith('/')) return true
  const authority = authorityIn(url)
  return authority === undefined || isWellFormed(authority)
}

/**
 * The target as routes know it: of one in absolute form, as a proxy sends it, the path and the query. A target has no fragment
 * (RFC 9112, 3.2), so a `#` is a part of the path.
 */
export const originForm = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '').replaceAll('#', '%23')
  return path.startsWith('/') || path === '*' ? path : `/${path}`
}

/**
 * A target in absolute form takes precedence over Host (RFC 9112, 3.2.2). HTTP/1.0 requests may have neither; then it is
 * the address that the client connected to.
 */
const authorityOf = ({ req, originalUrl }: Context): string => {
  const named = authorityIn(originalUrl) ?? req.headers.host
  if (named !== undefined) return named
  const { localAddress = 'localhost', localPort } = req.socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
