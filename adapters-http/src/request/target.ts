import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6 } from 'node:net'

/** A name of at most 253 characters or an IP address, and an optional port (RFC 3986, 3.2.2 and 3.2.3). */
const authorityPattern = /^(?:[A-Za-z0-9][A-Za-z0-9._~-]{0,252}|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{0,5}))?$/

const isWellFormed = (text: string): boolean => {
  const match = authorityPattern.exec(text)
  if (match === null) return false
  const [, address, port] = match
  return (address === undefined || isIPv6(address)) && Number(port ?? 0) <= 65_535
}

/** Checks the Host, which HTTP/1.1 requires (RFC 9112, 3.2). Links contain it, so it must be well-formed. */
export const hasValidHost = ({ headers, httpVersion }: IncomingMessage): boolean =>
  headers.host === undefined ? httpVersion === '1.0' : isWellFormed(headers.host)

/** Returns the authority of an absolute `http` or `https` target. */
export const authorityIn = (target: string): string | undefined => /^https?:\/\/([^/?]*)/i.exec(target)?.[1]

/** Tells whether only this machine can reach a server at the address. */
export const isLoopback = (address: string): boolean => /^(?:localhost|::1|(?:::ffff:)?127\.[\d.]+)$/.test(address)

/**
 * Returns a check against DNS rebinding: the request names the service by an IP address, as localhost or as one of
 * `names`. A web page can make any other name point to this machine, and so reach a service without a token.
 */
export const ownHosts = (names: readonly string[]): ((req: IncomingMessage) => boolean) => {
  const known = ['localhost', ...names.map(name => name.toLowerCase())]
  return ({ url = '', headers }) => {
    const authority = authorityIn(url) ?? headers.host
    if (authority === undefined) return true
    const host = authority
      .replace(/:\d*$/, '')
      .replace(/^\[(.*)\]$/, '$1')
      .toLowerCase()
    return isIP(host) > 0 || known.includes(host) || host.endsWith('.localhost')
  }
}

/** Checks the authority of an absolute target (RFC 9110, 4.2.1 and 4.2.4): it has a host, and no user name. */
export const hasValidTarget = ({ url = '' }: IncomingMessage): boolean => {
  const authority = url.startsWith('/') ? undefined : authorityIn(url)
  return authority === undefined || isWellFormed(authority)
}

/**
 * Returns the path and the query of a target. Proxies send targets in absolute form. A target has no fragment
 * (RFC 9112, 3.2), so a `#` is part of the path.
 */
export const originForm = (target: string): string => {
  const path = target.replace(/^https?:\/\/[^/?]*/i, '').replaceAll('#', '%23')
  return path.startsWith('/') || path === '*' ? path : `/${path}`
}
