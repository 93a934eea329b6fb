import type { RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'

/** A route as the router runs it. */
export type Handler = Readonly<{ methods: readonly string[]; path: string; run: RouterMiddleware }>

/**
 * Finds the handler of an ordinary request in a map: its path is a whole one, or ends with a parameter. @koa/router, which tries
 * the pattern of every route, gets all other requests.
 */
export const knownPaths = (handlers: readonly Handler[]): Middleware => {
  const found = new Map<string, RouterMiddleware>()
  const whole = new Set(handlers.map(({ path }) => path))
  for (const { methods, path, run } of handlers)
    for (const method of methods) found.set(`${method} ${path.replace(/:\w+\/$/, ':')}`, run)
  return (context, next) => {
    // the router's context is Koa's with the parameters that are set here
    const ctx = context as RouterContext
    const { method, path } = ctx
    const slash = path.lastIndexOf('/', path.length - 2)
    const id = path.slice(slash + 1, -1)
    const run = whole.has(path)
      ? found.get(`${method} ${path}`)
      : path.endsWith('/') && id !== '' && found.get(`${method} ${path.slice(0, slash + 1)}:`)
    if (!run) return next()
    ctx.params = { id }
    ctx.captures = [id]
    return run(ctx, next)
  }
}
