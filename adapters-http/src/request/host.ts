import type { Context } from 'koa'

const wellFormed = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._~-]*)|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/

/** HTTP/1.1 demands exactly one Host (RFC 9112, 3.2). Links repeat it, so it may hold nothing that a link cannot carry. */
export const hasProperHost = ({ headers, httpVersion, rawHeaders }: Context['req']): boolean => {
  if (headers.host === undefined) return httpVersion === '1.0'
  return wellFormed.test(headers.host) && !isRepeated(rawHeaders)
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
 * A target in absolute form takes precedence over Host (RFC 9112, 3.2.2). HTTP/1.0 requests may have neither; then it is
 * the address that the client connected to.
 */
export const authorityOf = ({ req }: Context): string => {
  const [, named = ''] = /^https?:\/\/([^/?]*)/i.exec(req.url ?? '') ?? []
  if (wellFormed.test(named)) return named
  if (req.headers.host !== undefined) return req.headers.host
  const { localAddress = 'localhost', localPort } = req.socket
  return `${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`
}
