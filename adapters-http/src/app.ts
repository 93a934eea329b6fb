import type { RouterContext } from '@koa/router'
import type { UseCases } from '@snippets/application/use-cases.js'
import type * as O from 'fp-ts/lib/Option.js'
import type Koa from 'koa'
import type { Log } from './answer/log.js'
import { IndexedRouter } from './koa/indexed-router.js'
import { type Observe, observeEnd } from './koa/observation.js'
import { logError, onError } from './koa/on-error.js'
import { ShortcutKoa } from './koa/shortcut-koa.js'
import { setCommonHeaders } from './koa/write-answer.js'
import { withSchemaRoute } from './openapi/schema-route.js'
import { headProblem } from './request/head-check.js'
import { linksFrom } from './request/links.js'
import { answerTo, refuse } from './routes/answering.js'
import { fallbacksFor } from './routes/fallbacks.js'
import type { Route } from './routes/route.js'
import { type RouteOptions, serviceRoutes } from './routes/service-routes.js'

export type AppOptions = Readonly<{
  log: Log
  publicUrl: O.Option<string>
  observe?: Observe
  /** For the document: the app has middleware that asks for a token. */
  needsToken?: boolean
}>

/** The service as a Koa application. It takes any Koa middleware, which runs before the routes. */
export const createApp = ({
  useCases,
  ...options
}: AppOptions & RouteOptions & Readonly<{ useCases: UseCases }>): Koa =>
  createAppOf(serviceRoutes(useCases, options), options)

/** An application of these routes and the OpenAPI document of them. */
export const createAppOf = (routes: readonly Route[], options: AppOptions): Koa => {
  const { log, publicUrl, observe, needsToken = false } = options
  const all = withSchemaRoute(routes, { publicUrl, needsToken })
  const router = new IndexedRouter(fallbacksFor(all, linksFrom(publicUrl)))
  for (const route of all)
    router.register(route.path, [route.method], (ctx: RouterContext) => answerTo(ctx, route, log))

  const dispatch = router.routes()
  const app = new ShortcutKoa({
    enter: ctx => {
      if (observe !== undefined) observeEnd(ctx, observe)
    },
    enterOrdinary: setCommonHeaders,
    routes: (ctx, next) => {
      const problem = headProblem(ctx.req)
      return problem === undefined ? dispatch(ctx, next) : refuse(ctx, problem)
    },
  })
  app.context.onerror = onError
  app.on('error', (error, ctx) => logError(log, error, ctx))
  return app
}
