import Router, { type RouterContext, type RouterMiddleware } from '@koa/router'
import type { Log } from '@snippets/application/log.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as NEA from 'fp-ts/lib/NonEmptyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type Koa from 'koa'
import type { Context, Middleware } from 'koa'
import { logCause } from '../logging/request-log.js'
import type { Links } from '../request/links.js'
import { hasWeakIfMatch } from '../request/preconditions.js'
import { methodNotAllowed, problem } from '../response/problems.js'
import { problemOf } from '../response/request-error.js'
import { json, mergePatch, noContent, percentEncode, permanentRedirect } from '../response/response.js'
import { sendProblem, writeResponse } from '../response/write-response.js'
import type { Route } from './route.js'
import { type MappedRoute, routeMap } from './route-map.js'

type Options = Readonly<{ log: Log; links: Links }>

/** Adds the routes, the responses to other methods on their paths, and the redirects to the trailing slash. */
export const addRoutes = (app: Koa, routes: readonly Route[], options: Options): void => {
  const router = new Router({ strict: true, sensitive: true })
  const unknownPath = unknownPathOf(routes, options)
  const handlers = routes.map(route => ({
    methods: methodsOf(route),
    path: route.path,
    run: runRoute(route, options),
  }))
  for (const [path, all] of resourcesOf(handlers)) {
    for (const { methods, run } of all) router.register(path, [...methods], run)
    router.all(path, respondToOtherMethod(allowedOf(all.flatMap(({ methods }) => methods))))
    router.all(path.replace(/\/$/, ''), redirectToSlash(unknownPath, options.links))
  }
  app.use(routeMap(handlers)).use(router.routes()).use(unknownPath)
}

/** Groups handlers by path. Constant paths come before paths with a parameter, as the first match decides. */
const resourcesOf = (handlers: readonly MappedRoute[]): readonly (readonly [string, readonly MappedRoute[]])[] =>
  Object.entries(NEA.groupBy<MappedRoute>(({ path }) => path)([...handlers])).sort(
    ([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')),
  )

const methodsOf = ({ method }: Route): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const methodOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

const allowedOf = (supported: readonly string[]): readonly string[] =>
  methodOrder.filter(method => method === 'OPTIONS' || supported.includes(method))

const runRoute = (route: Route, { log }: Options): RouterMiddleware => {
  const readsBody = route.readers.some(({ body }) => body !== undefined)
  const isRead = route.method === 'GET'
  return ctx => {
    ctx.state.route = route.path
    // an unread body would stay in memory until the response is sent
    if (!readsBody) ctx.req.resume()
    return pipe(
      route.run(ctx),
      TE.match(
        error => {
          logCause(log, ctx, error)
          const item = () => [route.item ?? 'item', ...Object.values(ctx.params)].join(' ')
          sendProblem(ctx, problemOf(error, { item, isRead, hasWeakIfMatch: () => hasWeakIfMatch(ctx) }))
        },
        response => writeResponse(ctx, response),
      ),
    )()
  }
}

const respondToOtherMethod =
  (allowed: readonly string[]) =>
  async (ctx: Context): Promise<void> => {
    if (ctx.method !== 'OPTIONS') return sendProblem(ctx, methodNotAllowed(ctx.method, allowed))
    const patches = allowed.includes('PATCH') && { 'Accept-Patch': `${json}, ${mergePatch}` }
    writeResponse(ctx, noContent({ Allow: allowed.join(', '), ...patches }))
  }

/** Checks whether a redirect preserves the path. Clients resolve `..`, and a `%` needs two hexadecimal digits. */
const isRedirectable = (path: string): boolean => !/%(?![0-9a-f]{2})|\/(?:\.|%2e){1,2}$/i.test(path)

const redirectToSlash =
  (unknownPath: Middleware, { location }: Links) =>
  async (ctx: RouterContext): Promise<void> => {
    const { path, search } = ctx
    if (!isRedirectable(path)) return unknownPath(ctx, async () => {})
    writeResponse(ctx, permanentRedirect(location(percentEncode(`${path}/${search}`))))
  }

/** Returns the middleware for unknown paths. The 404 lists the known paths. */
const unknownPathOf = (routes: readonly Route[], { links }: Options): Middleware => {
  const paths = [...new Set(routes.map(({ path }) => path).filter(path => !path.includes(':')))]
  const unknown = problem('unknown-path', {
    detail: `There is nothing at this path. Try ${paths.slice(0, -1).join(', ')} or ${paths.at(-1)}.`,
    headers: { Link: links.descriptionLink },
  })
  const respondToServerOptions = respondToOtherMethod(allowedOf(routes.flatMap(methodsOf)))
  return async ctx => {
    // `OPTIONS *` asks about the whole server (RFC 9110, 9.3.7)
    if (ctx.path === '*' && ctx.method === 'OPTIONS') await respondToServerOptions(ctx)
    else sendProblem(ctx, unknown)
  }
}
