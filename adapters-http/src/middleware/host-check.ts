import { isIP } from 'node:net'
import { hostOf } from '../request/target.js'

/** Tells whether the authority of a request, if it has one, is of this service. */
export type IsKnownHost = (authority: string | undefined) => boolean

/**
 * Returns a check against DNS rebinding: a web page can make its own host name point to this machine, and so reach a
 * service without tokens. Known hosts are IP addresses, localhost and `names`.
 */
export const createHostCheck = (names: readonly string[]): IsKnownHost => {
  const known = ['localhost', ...names.map(canonical)]
  return authority => {
    if (authority === undefined) return true
    const host = canonical(hostOf(authority) ?? '')
    return isIP(host) > 0 || known.includes(host) || host.endsWith('.localhost')
  }
}

/** Returns the lower-case host without the dot that may end an absolute name. */
const canonical = (host: string): string => host.toLowerCase().replace(/\.$/, '')
