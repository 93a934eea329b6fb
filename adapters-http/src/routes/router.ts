import Router, { type RouterContext } from '@koa/router'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as NEA from 'fp-ts/lib/NonEmptyArray.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type Koa from 'koa'
import type { Context, Middleware } from 'koa'
import { makeMethodNotAllowed, makeProblem, problemOf } from '../formats/problems.js'
import { idIn } from '../request/path-id.js'
import { readBody } from '../request/read-body.js'
import type { RequestReader } from '../request/reader.js'
import { percentEncode } from '../request/target.js'
import {
  type HttpResponse,
  jsonType,
  makeNoContentResponse,
  makeProblemResponse,
  plainTextType,
  send,
  sendProblem,
} from '../response/response.js'
import type { OpenApiOperation } from './operations.js'

/** A route, from which the router and the OpenAPI document are derived. */
export type Route = Readonly<{
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A parameter is written `:id`. */
  path: string
  readers: readonly RequestReader<unknown>[]
  /** Reads and serves a request. */
  handle: (ctx: RouterContext, body: Buffer) => TE.TaskEither<StorageError, HttpResponse>
  operation: OpenApiOperation
}>

/** Groups routes by path. Constant paths come before paths with a parameter, as the first match decides. */
export const routesByPath = (routes: readonly Route[]): readonly (readonly [string, readonly Route[]])[] =>
  Object.entries(NEA.groupBy<Route>(({ path }) => path)([...routes])).sort(
    ([a], [b]) => Number(a.includes(':')) - Number(b.includes(':')),
  )

/** The value of each reader, under its name: the input of a handler. */
type ValuesOf<R> = { readonly [Name in keyof R]: R[Name] extends RequestReader<infer A> ? A : never }

type RouteDefinition<R> = Omit<Route, 'readers' | 'handle'> &
  Readonly<{
    /** The readers, in the order in which they run: the first problem decides. */
    reads: R
    run: (input: ValuesOf<R>) => TE.TaskEither<StorageError, HttpResponse>
  }>

export const route = <R extends Readonly<Record<string, RequestReader<unknown>>>>({
  reads,
  run,
  ...others
}: RouteDefinition<R>): Route => {
  const readers = Object.entries(reads)
  return {
    ...others,
    readers: Object.values(reads),
    handle: (ctx, body) => {
      const input: Record<string, unknown> = {}
      for (const [name, { read }] of readers) {
        const value = read(ctx, body)
        if (E.isLeft(value)) return TE.right(makeProblemResponse(value.left))
        input[name] = value.right
      }
      // the compiler cannot infer from a loop that each value has the type of its reader
      return run(input as ValuesOf<R>)
    },
  }
}

/** Adds the routes, the responses to other methods on their paths, and the redirects to the trailing slash. */
export const addRoutes = (app: Koa, routes: readonly Route[], publicUrl: string): void => {
  const [router, redirects] = [createRouter(), createRouter()]
  for (const [path, siblings] of routesByPath(routes)) {
    router.all(path, handlePath(siblings))
    redirects.all(path.slice(0, -1), redirectToSlash(publicUrl))
  }
  // a second router, because a router tests every path: a request with a route skips the redirects
  app.use(router.routes()).use(redirects.routes()).use(handleUnknownPath(routes))
}

const createRouter = () => new Router({ strict: true, sensitive: true })

const methodsOf = ({ method }: Route): readonly string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])

/** Returns the handler of all requests with the path of these routes. */
const handlePath = (routes: readonly Route[]) => {
  const handlers = new Map(routes.flatMap(route => methodsOf(route).map(method => [method, runRoute(route)] as const)))
  const other = respondWithAllow(routes)
  return (ctx: RouterContext): Promise<void> => (handlers.get(ctx.method) ?? other)(ctx)
}

/** Returns the media types that the body of a request may have. None if the route reads no body. */
const bodyTypesOf = ({ readers }: Route): readonly string[] =>
  readers.flatMap(({ body }) => (body ? (body.mediaTypes ?? [jsonType]) : []))

const runRoute = (route: Route) => {
  const mediaTypes = bodyTypesOf(route)
  const hasId = route.path.includes(':id')
  return async (ctx: RouterContext): Promise<void> => {
    ctx.state.route = route.path
    if (hasId) ctx.state.itemId = pipe(idIn(ctx), O.map(String), O.toUndefined)
    const body = mediaTypes.length > 0 ? await readBody(ctx, mediaTypes) : ignoreBody(ctx)
    if (E.isLeft(body)) return sendProblem(ctx, body.left)
    const result = await route.handle(ctx, body.right)()
    if (E.isRight(result)) return send(ctx, result.right)
    recordCause(ctx, result.left)
    sendProblem(ctx, problemOf(result.left))
  }
}

const noBody = E.right(Buffer.alloc(0))

/** Discards a body, which would otherwise stay in memory until the response is sent. */
const ignoreBody = ({ req }: Context) => {
  req.resume()
  return noBody
}

/** Records the cause of an error of the storage for the log. Clients see only the problem. */
const recordCause = ({ state }: Context, error: StorageError): void => {
  if (!('cause' in error)) return
  if (error._tag === 'Unavailable') state.reason = E.toError(error.cause).message
  else state.err = error.cause
}

const respondWithAllow = (routes: readonly Route[]) => {
  const allowed = [...new Set(routes.flatMap(methodsOf)), 'OPTIONS']
  const patchTypes = routes.filter(({ method }) => method === 'PATCH').flatMap(bodyTypesOf)
  const acceptPatch = patchTypes.length > 0 && { 'Accept-Patch': patchTypes.join(', ') }
  return async (ctx: Context): Promise<void> => {
    if (ctx.method !== 'OPTIONS') return sendProblem(ctx, makeMethodNotAllowed(ctx.method, allowed))
    send(ctx, makeNoContentResponse({ Allow: allowed.join(', '), ...acceptPatch }))
  }
}

const redirectToSlash =
  (publicUrl: string) =>
  (ctx: RouterContext): void => {
    const Location = publicUrl + percentEncode(`${ctx.path}/${ctx.search}`)
    // curl does not show headers
    const body = 'The trailing slash is missing. Use the Location of this response.\n'
    send(ctx, { status: 308, headers: { Location, 'Content-Type': plainTextType }, body })
  }

/** Responds to paths without a route. The 404 lists the paths without parameters. */
const handleUnknownPath = (routes: readonly Route[]): Middleware => {
  const shown = [...new Set(routes.map(({ path }) => path))].filter(path => !path.includes(':'))
  const unknown = makeProblem('unknown-path', {
    detail: `There is nothing at this path. Try ${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}.`,
  })
  const respondToServerOptions = respondWithAllow(routes)
  // `OPTIONS *` asks about the whole server (RFC 9110, 9.3.7)
  return async ctx =>
    ctx.path === '*' && ctx.method === 'OPTIONS' ? respondToServerOptions(ctx) : sendProblem(ctx, unknown)
}
