import cors from '@koa/cors'
import type { Middleware } from 'koa'

/** Allows pages of these origins to call the API; `*` means every origin. Credentials are not needed, as tokens are headers. */
export const allowOrigins = (origins: readonly string[]): Middleware =>
  cors({
    // an empty string allows nothing
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
