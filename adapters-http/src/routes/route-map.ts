import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'

/** A route as the router runs it. */
export type Handler = Readonly<{ methods: readonly string[]; path: string; run: RouterMiddleware }>

const lastSegment = /^(.*\/)([^/%]+)\/$/

/**
 * Finds the handler of an ordinary request in a map: the path of its route has no parameter, or one at its end. @koa/router, which
 * tries the pattern of every route, gets all other requests, and decodes percent-encoded parameters.
 */
export const routeMap = (handlers: readonly Handler[]): Middleware => {
  const constant = new Set(handlers.map(({ path }) => path).filter(path => !path.includes(':')))
  const found = new Map<string, Readonly<{ run: RouterMiddleware; parameter: string }>>()
  for (const { methods, path, run } of handlers) {
    const [, before, parameter = ''] = /^([^:]*\/):(\w+)\/$/.exec(path) ?? []
    // no path begins with a colon
    for (const method of methods)
      found.set(`${method} ${before === undefined ? path : `:${before}`}`, { run, parameter })
  }
  return (context, next) => {
    // the router's context is Koa's with the parameters that are set here
    const ctx = context as RouterContext
    const { method, path } = ctx
    const [, before, text = ''] = constant.has(path) ? [] : (lastSegment.exec(path) ?? [])
    const known = found.get(`${method} ${before === undefined ? path : `:${before}`}`)
    if (known === undefined) return next()
    ctx.params = before === undefined ? {} : { [known.parameter]: text }
    ctx.captures = before === undefined ? [] : [text]
    return known.run(ctx, next)
  }
}
