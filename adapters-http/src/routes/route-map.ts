import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'

/** The middleware of a route, with its methods and its path. */
export type MappedRoute = Readonly<{ methods: readonly string[]; path: string; run: RouterMiddleware }>

const lastSegment = /^(.*\/)([^/%]+)\/$/

/**
 * Runs the route if its path has no parameter, or only one, at the end. Other requests go to @koa/router, which is
 * slower: it tries the pattern of every route and decodes parameters.
 */
export const routeMap = (handlers: readonly MappedRoute[]): Middleware => {
  const constantPaths = new Set(handlers.map(({ path }) => path).filter(path => !path.includes(':')))
  const table = new Map<string, Readonly<{ run: RouterMiddleware; parameter: string }>>()
  for (const { methods, path, run } of handlers) {
    const [, prefix, parameter = ''] = /^([^:]*\/):(\w+)\/$/.exec(path) ?? []
    // a colon before the path marks a prefix, because no path begins with a colon
    for (const method of methods)
      table.set(`${method} ${prefix === undefined ? path : `:${prefix}`}`, { run, parameter })
  }
  return (context, next) => {
    // @koa/router extends Koa's context with params and captures, which are set below
    const ctx = context as RouterContext
    const { method, path } = ctx
    const [, prefix, text = ''] = constantPaths.has(path) ? [] : (lastSegment.exec(path) ?? [])
    const handler = table.get(`${method} ${prefix === undefined ? path : `:${prefix}`}`)
    if (handler === undefined) return next()
    ctx.params = prefix === undefined ? {} : { [handler.parameter]: text }
    ctx.captures = prefix === undefined ? [] : [text]
    return handler.run(ctx, next)
  }
}
