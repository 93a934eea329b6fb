import type { UseCases } from '@snippets/application/use-cases.js'
import type { Option } from 'fp-ts/lib/Option.js'
import type { Context } from 'koa'
import { config } from './config.js'
import { routeExplicitSnippets } from './explicit-snippets.js'
import { answer, answerEmpty } from './koa/answer.js'
import { DirectKoa } from './koa/direct-koa.js'
import { type Fallbacks, type Handler, IndexedRouter } from './koa/indexed-router.js'
import { hasProperHost, linksFrom } from './links.js'
import type { Log } from './log.js'
import { json, mergePatch } from './media-types.js'
import { openApiDocument } from './openapi/document.js'
import { rawQuery } from './parameters.js'
import { badRequest, internal, methodNotAllowed, notFound } from './problem.js'
import { routeReadOnlyResource, routeResource } from './resource.js'
import { snippetsViewset, users } from './resources.js'
import { about, refuseWith, sendJson, sendProblem } from './respond.js'
import { stallMs as defaultStallMs } from './stall.js'

export type Observation = Readonly<{ method: string; route: string; status: number; seconds: number }>

export type HttpDeps = Readonly<{
  useCases: UseCases
  log: Log
  publicUrl: Option<string>
  /** Told of every answer when it has ended. */
  observe?: (observation: Observation) => void
  /** How long a client may leave a long list unread before it is cut off. */
  stallMs?: number
}>

export const createApp = ({ useCases, log, publicUrl, observe, stallMs = defaultStallMs }: HttpDeps): DirectKoa => {
  const links = linksFrom(publicUrl)
  const refuse = refuseWith(log)
  const router = new IndexedRouter(fallbacks)

  const configJson = JSON.stringify(config)
  const showConfig: Handler = ctx => sendJson(ctx, configJson)
  router.get('/api/snippets/config/', showConfig)
  routeExplicitSnippets(router, { useCases, links, refuse, stream: { log, refuse, stallMs } })
  routeResource(router, snippetsViewset(useCases), { links, refuse })
  routeReadOnlyResource(router, users(useCases), { links, refuse })
  const schemaJson = JSON.stringify(openApiDocument(publicUrl))
  const showSchema: Handler = ctx => sendJson(ctx, schemaJson)
  router.get('/api/schema/', showSchema)

  const app = new DirectKoa()
  const route = router.routes()
  app.use((ctx, next) => {
    if (observe !== undefined) watch(ctx, observe)
    return hasProperHost(ctx.req)
      ? route(ctx, next)
      : sendProblem(ctx, badRequest('Exactly one well-formed Host is needed.'))
  })
  app.on('error', (error: unknown, ctx: Context) => {
    log.error(about(ctx, error), 'a handler failed')
    if (ctx.res.headersSent) ctx.res.destroy()
    else sendProblem(ctx, internal)
  })
  return app
}

const fallbacks: Fallbacks = {
  notFound: ctx => sendProblem(ctx, notFound),
  missingSlash: (ctx, path) => {
    const query = rawQuery(ctx)
    answer(ctx, 308, { Location: `${path}/${query && `?${query}`}` }, '')
  },
  otherMethod: (ctx, allowed) => {
    const patches = allowed.includes('PATCH') && { 'Accept-Patch': `${json}, ${mergePatch}` }
    if (ctx.req.method === 'OPTIONS') answerEmpty(ctx, 204, { Allow: allowed.join(', '), ...patches })
    else sendProblem(ctx, methodNotAllowed(ctx.req.method ?? '', allowed))
  },
}

const watch = (ctx: Context, observe: (observation: Observation) => void): void => {
  const started = performance.now()
  const { req, res } = ctx
  res.once('close', () =>
    observe({
      method: req.method ?? '',
      route: ctx.routerPath ?? 'none',
      status: res.statusCode,
      seconds: (performance.now() - started) / 1000,
    }),
  )
}
