import cors from '@koa/cors'
import type { Middleware } from 'koa'

/** Allows pages of these origins (`*`: all) to call the API. The API uses no cookies, so CORS needs no credentials. */
export const allowCors = (origins: readonly string[]): Middleware =>
  cors({
    // an empty string allows nothing
    origin: ctx => ['*', ctx.get('Origin')].find(origin => origins.includes(origin)) ?? '',
    exposeHeaders: ['Count-Precision', 'ETag', 'Idempotency-Replayed', 'Location', 'Retry-After', 'X-Request-Id'],
    maxAge: 600,
  })
