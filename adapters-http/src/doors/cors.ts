import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import cors from '@koa/cors'
import type { Middleware } from 'koa'

const allowMethods = 'GET,HEAD,PUT,POST,DELETE,PATCH'
const maxAge = 600

const exposeHeaders = [
  'Count-Precision',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Location',
  'Retry-After',
  'X-Request-Id',
]

/** Lets pages of these origins call the API; `*` means every origin. No credentials: a token is sent as a header. */
export const allowOrigins = (origins: readonly string[]): Middleware =>
  cors({
    origin: ctx => originFor(origins, ctx.get('Origin')),
    allowMethods,
    exposeHeaders,
    maxAge,
  })

/** The middleware allows nothing when this is empty. */
const originFor = (origins: readonly string[], asking: string): string => {
  if (origins.includes('*')) return '*'
  return origins.includes(asking) ? asking : ''
}

/** For the answers that the server gives by itself, before any middleware. */
export const corsHeaders =
  (origins: readonly string[]) =>
  ({ headers: { origin } }: IncomingMessage): OutgoingHttpHeaders => {
    const allowed = origin === undefined ? '' : originFor(origins, origin)
    return allowed === ''
      ? { Vary: 'Origin' }
      : {
          Vary: 'Origin',
          'Access-Control-Allow-Origin': allowed,
          'Access-Control-Expose-Headers': exposeHeaders.join(','),
        }
  }

/**
 * The answer to a preflight that the server would refuse by itself. To a browser a refused preflight says only that the API
 * may not be called; the request that follows can be refused so that the page sees why.
 */
export const preflightHeaders =
  (origins: readonly string[]) =>
  ({ method, headers }: IncomingMessage): OutgoingHttpHeaders | undefined => {
    const allowed = method === 'OPTIONS' && headers.origin !== undefined ? originFor(origins, headers.origin) : ''
    if (allowed === '' || headers['access-control-request-method'] === undefined) return undefined
    const asked = headers['access-control-request-headers']
    return {
      Vary: 'Origin',
      'Access-Control-Allow-Origin': allowed,
      'Access-Control-Allow-Methods': allowMethods,
      'Access-Control-Max-Age': maxAge,
      ...(asked !== undefined && { 'Access-Control-Allow-Headers': asked }),
    }
  }
