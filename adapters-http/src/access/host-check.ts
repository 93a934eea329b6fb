import { isIP } from 'node:net'
import { hostOf } from '../request/target.js'

/** Tells whether only this machine can reach a server at the address. */
export const isLoopback = (address: string): boolean => /^(?:localhost|::1|(?:::ffff:)?127\.[\d.]+)$/.test(address)

/**
 * Returns a check against DNS rebinding: the request names the service by an IP address, as localhost or as one of
 * `names`. A web page can make any other name point to this machine, and so reach a service without a token.
 */
export const namesThisService = (names: readonly string[]): ((authority: string | undefined) => boolean) => {
  const known = ['localhost', ...names.map(name => name.toLowerCase())]
  return authority => {
    if (authority === undefined) return true
    const host = hostOf(authority)?.toLowerCase() ?? ''
    return isIP(host) > 0 || known.includes(host) || host.endsWith('.localhost')
  }
}
