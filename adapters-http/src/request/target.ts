import { isIPv6 } from 'node:net'
import * as E from 'fp-ts/lib/Either.js'
import type { RequestReader } from './reader.js'

/** A name of at most 253 characters or an IP address, and an optional port (RFC 3986, 3.2.2 and 3.2.3). */
const authorityPattern = /^(?:([A-Za-z0-9][A-Za-z0-9._~-]{0,252})|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{0,5}))?$/

/** Returns the host of an authority. Undefined without a host, or with a user name (RFC 9110, 4.2.1 and 4.2.4). */
export const hostOf = (authority: string): string | undefined => {
  const [, name, address = '', port = ''] = authorityPattern.exec(authority) ?? []
  if (Number(port) > 65_535) return undefined
  return isIPv6(address) ? address : name
}

/**
 * Splits a target into its origin form, and the authority of an absolute target, which proxies send. A target has no
 * fragment (RFC 9112, 3.2), so a `#` is part of the path or query.
 */
export const splitTarget = (target: string): Readonly<{ authority: string | undefined; originForm: string }> => {
  const [, authority, rest = target] = /^https?:\/\/([^/?]*)(.*)/i.exec(target) ?? []
  const path = rest.replaceAll('#', '%23')
  return { authority, originForm: path.startsWith('/') || path === '*' ? path : `/${path}` }
}

/** Characters that a path or query must percent-encode (RFC 3986), except `%`, because the text is already encoded. */
const notInUri = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/?%]/gu

/** Encodes the path and query of a request for a link. Node accepts `"`, `<`, `>` and backticks in a target. */
export const percentEncode = (pathAndQuery: string): string => pathAndQuery.replace(notInUri, encodeURIComponent)

/**
 * Reads the base of absolute URLs: `publicUrl`, otherwise the host that the client names. Without a host, as HTTP/1.0
 * allows, the base is empty and URLs are relative.
 */
export const createBaseUrlReader = (publicUrl: string): RequestReader<string> => ({
  read: ({ state: { authority } }) => E.right(publicUrl || (authority ? `http://${authority}` : '')),
})
