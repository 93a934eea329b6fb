import cors from '@koa/cors'
import type { Middleware } from 'koa'

/** Lets pages of these origins call the API; `*` means every origin. No credentials: a token is sent as a header. */
export const allowOrigins = (origins: readonly string[]): Middleware =>
  cors({
    // nothing is allowed where this is empty
    origin: ctx => {
      const asking = ctx.get('Origin')
      if (origins.includes('*')) return '*'
      return origins.includes(asking) ? asking : ''
    },
    allowMethods: 'GET,HEAD,PUT,POST,DELETE,PATCH',
    exposeHeaders: [
      'Count-Precision',
      'ETag',
      'Idempotency-Replayed',
      'Link',
      'Location',
      'Retry-After',
      'X-Request-Id',
    ],
    maxAge: 600,
  })
