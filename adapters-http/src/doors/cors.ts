import cors from '@koa/cors'
import type { Middleware } from 'koa'

/** Lets pages of these origins call the API; `*` means every origin. No credentials: a token is sent as a header. */
export const allowOrigins = (origins: readonly string[]): Middleware =>
  cors({
    origin: ctx => originFor(origins, ctx.get('Origin')),
    exposeHeaders: ['ETag', 'Location', 'X-Request-Id', 'Retry-After', 'Count-Precision'],
    maxAge: 600,
  })

/** The middleware allows nothing when this is empty. */
const originFor = (origins: readonly string[], asking: string): string => {
  if (origins.includes('*')) return '*'
  return origins.includes(asking) ? asking : ''
}
