import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import cors from '@koa/cors'
import type { Middleware } from 'koa'

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
    exposeHeaders,
    maxAge: 600,
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
