import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'

/** The middleware of a route, with its methods and its path. */
export type Handler = Readonly<{ methods: readonly string[]; path: string; run: RouterMiddleware }>

const lastSegment = /^(.*\/)([^/%]+)\/$/

/**
 * Runs the route of an ordinary request, whose path has no parameter or one at its end. Other requests go to @koa/router, which
 * tries the pattern of every route and decodes parameters.
 */
export const routeMap = (handlers: readonly Handler[]): Middleware => {
  const constant = new Set(handlers.map(({ path }) => path).filter(path => !path.includes(':')))
  const found = new Map<string, Readonly<{ run: RouterMiddleware; parameter: string }>>()
  for (const { methods, path, run } of handlers) {
    const [, before, parameter = ''] = /^([^:]*\/):(\w+)\/$/.exec(path) ?? []
    // the colon marks a prefix, as no path begins with one
    for (const method of methods)
      found.set(`${method} ${before === undefined ? path : `:${before}`}`, { run, parameter })
  }
  return (context, next) => {
    // @koa/router extends Koa's context with params and captures, which are set below
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
