import { isIPv6 } from 'node:net'
import type { Context } from 'koa'

/** A name of at most 253 characters, an IPv4 address or an IPv6 address in brackets, and a port (RFC 3986, 3.2.2 and 3.2.3). */
const authority = /^(?:[A-Za-z0-9][A-Za-z0-9._~-]{0,252}|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{1,5}))?$/

const isWellFormed = (text: string): boolean => {
  const match = authority.exec(text)
  if (match === null) return false
  const [, address, port] = match
  return (address === undefined || isIPv6(address)) && Number(port ?? 0) <= 65_535
}

/** HTTP/1.1 demands exactly one Host (RFC 9112, 3.2). Links repeat it, so it may hold nothing that a link cannot carry. */
export const hasProperHost = ({ headers, httpVersion, rawHeaders }: Context['req']): boolean => {
  if (headers.host === undefined) return httpVersion === '1.0'
  return isWellFormed(headers.host) && !isRepeated(rawHeaders)
}

const isRepeated = (rawHeaders: readonly string[]): boolean => {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}

/**
 * A target in absolute form takes precedence over Host (RFC 9112, 3.2.2), unless its authority is malformed. HTTP/1.0
 * requests may have neither; then it is the address that the client connected to.
 */
export const authorityOf = ({ req }: Context): string => {
  const [, named = ''] = /^https?:\/\/([^/?]*)/i.exec(req.url ?? '') ?? []
  if (named !== '' && isWellFormed(named)) return named
  if (req.headers.host !== undefined) return req.headers.host
  const { localAddress = 'localhost', localPort } = req.socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
