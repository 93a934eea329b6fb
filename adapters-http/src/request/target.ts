import { isIPv6 } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import type { RequestReader } from './reader.js'

export const schemaPath = '/api/schema/'

/** The URLs of the service: based on PUBLIC_URL if the operator set it, or else on the Host of the request. */
export type Links = Readonly<{
  origin: RequestReader<string>
  location: (path: string) => string
  /** A Link header to the OpenAPI document (RFC 8631). */
  descriptionLink: string
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
  descriptionLink: `<${baseOf(publicUrl)}${schemaPath}>; rel="service-desc"`,
})

/** Without PUBLIC_URL, links are relative to the URL of the request. */
const baseOf = O.getOrElse(() => '')

/** A name of at most 253 characters, an IPv4 address or an IPv6 address in brackets, and a port (RFC 3986, 3.2.2 and 3.2.3). */
const authorityPattern = /^(?:[A-Za-z0-9][A-Za-z0-9._~-]{0,252}|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?$/

const isWellFormed = (text: string): boolean => {
  const match = authorityPattern.exec(text)
  if (match === null) return false
  const [, address, port] = match
  return (address === undefined || isIPv6(address)) && Number(port ?? 0) <= 65_535
}

/** Checks the Host: HTTP/1.1 demands exactly one (RFC 9112, 3.2). Links contain it, so it must be well-formed. */
export const hasValidHost = ({ headers, httpVersion }: Context['req']): boolean =>
  headers.host === undefined ? httpVersion === '1.0' : isWellFormed(headers.host)

/** The authority of an absolute `http` or `https` target. */
const authorityIn = (target: string): string | undefined => /^https?:\/\/([^/?]*)/i.exec(target)?.[1]

/** Checks the authority of an absolute target (RFC 9110, 4.2.1 and 4.2.4): the host is mandatory, and a user name is not allowed. */
export const hasValidTarget = ({ url = '' }: Context['req']): boolean => {
  if (url.startsWith('/')) return true
  const authority = authorityIn(url)
  return authority === undefined || isWellFormed(authority)
}

/**
 * Returns the path and the query of a target. Proxies send targets in absolute form. A target has no fragment (RFC 9112, 3.2),
 * so a `#` is a part of the path.
 */
export const originForm = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '').replaceAll('#', '%23')
  return path.startsWith('/') || path === '*' ? path : `/${path}`
}

/**
 * Returns the host and port for links. An absolute target takes precedence over Host (RFC 9112, 3.2.2). Without both, as
 * HTTP/1.0 allows, the result is the address that the client connected to.
 */
const authorityOf = ({ req, originalUrl }: Context): string => {
  const authority = authorityIn(originalUrl) ?? req.headers.host
  if (authority !== undefined) return authority
  const { localAddress = 'localhost', localPort } = req.socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
