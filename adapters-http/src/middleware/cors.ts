import type { IncomingMessage } from 'node:http'
import cors from '@koa/cors'
import type { Middleware } from 'koa'

const exposed = ['Count-Precision', 'ETag', 'Idempotency-Replayed', 'Location', 'Retry-After', 'X-Request-Id']

/**
 * Returns the headers that let pages of these origins (`*`: all) read a response. Without `req`, the origin of the
 * request is unknown, and only a single origin can be named.
 */
export const corsHeaders = (origins: readonly string[], req?: IncomingMessage): Readonly<Record<string, string>> => {
  if (origins.length === 0) return {}
  if (origins.includes('*')) return { Vary: 'Origin', ...readableBy('*') }
  const isAllowed = (origin: string): boolean =>
    req === undefined ? origins.length === 1 : req.headers.origin === origin
  return { Vary: 'Origin', ...origins.filter(isAllowed).map(readableBy)[0] }
}

const readableBy = (origin: string) => ({
  'Access-Control-Allow-Origin': origin,
  'Access-Control-Expose-Headers': exposed.join(','),
})

/** Lets pages of these origins read every response, problems included. */
export const allowReading =
  (origins: readonly string[]): Middleware =>
  (ctx, next) => {
    ctx.set(corsHeaders(origins, ctx.req))
    return next()
  }

/** Responds to preflights from these origins. The API uses no cookies, so CORS needs no credentials. */
export const answerPreflights = (origins: readonly string[]): Middleware => {
  // an empty string allows nothing
  const origin: cors.Options['origin'] = ctx => corsHeaders(origins, ctx.req)['Access-Control-Allow-Origin'] ?? ''
  const answer = cors({ origin, maxAge: 600 })
  return (ctx, next) => (ctx.method === 'OPTIONS' ? answer(ctx, next) : next())
}
