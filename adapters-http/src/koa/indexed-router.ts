import Router, { type RouterContext } from '@koa/router'
import type { Middleware } from 'koa'
import { nothingNext } from './direct-koa.js'

/** Writes its answer itself, by answer.ts; returns a promise only when there is something to wait for. */
export type Handler = (ctx: RouterContext) => void | Promise<void>

type Resource = Readonly<{ path: string; methods: Map<string, Handler>; allowed: string[] }>

/** How to answer what no route answers. */
export type Fallbacks = Readonly<{
  notFound: Handler
  /** The path is a known one but for its trailing slash. */
  missingSlash: (ctx: RouterContext, path: string) => void
  /** The path does not offer the method; OPTIONS comes here too. */
  otherMethod: (ctx: RouterContext, allowed: readonly string[]) => void
}>

const methodOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * @koa/router with its matching replaced. Routes are registered as ever. But where @koa/router tries every route's pattern
 * on every request and composes the matches anew, the routes are put into two maps once: whole paths, and paths that end in
 * one parameter. Paths are exact, a whole path goes before a parameter, and what no route answers falls out of the same
 * look-up: a path that is known never falls through to another because of its method.
 */
export class IndexedRouter extends Router {
  readonly #fallbacks: Fallbacks

  constructor(fallbacks: Fallbacks) {
    super({ strict: true, sensitive: true })
    this.#fallbacks = fallbacks
  }

  override routes(): Middleware {
    const { notFound, missingSlash, otherMethod } = this.#fallbacks
    const find = indexed(this.stack)
    return (context): void | Promise<void> => {
      const ctx = context as unknown as RouterContext
      const path = pathOf(ctx.req.url ?? '')
      const resource = find(path, ctx)
      if (resource === undefined) return find(`${path}/`, ctx) === undefined ? notFound(ctx) : missingSlash(ctx, path)
      const handler = resource.methods.get(ctx.req.method ?? '')
      if (handler === undefined) return otherMethod(ctx, resource.allowed)
      ctx.routerPath = resource.path
      return handler(ctx)
    }
  }
}

/** Only the path counts of a target in absolute form, as a proxy sends it. */
const pathOf = (target: string): string => {
  const start = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?]*/i.exec(target)?.[0].length ?? 0)
  const end = target.indexOf('?', start)
  return end < 0 ? target.slice(start) : target.slice(start, end)
}

const indexed = (stack: Router['stack']) => {
  const resources = new Map<string, Resource>()
  for (const { path, methods, stack: handlers } of stack) {
    const resource = resources.get(String(path)) ?? { path: String(path), methods: new Map(), allowed: [] }
    const [handler, ...others] = handlers
    if (handler === undefined || others.length > 0) throw new Error(`${resource.path} needs exactly one handler`)
    for (const method of methods) resource.methods.set(method, ctx => handler(ctx, nothingNext))
    resources.set(resource.path, resource)
  }
  const whole = new Map<string, Resource>()
  const parameter = new Map<string, { name: string; resource: Resource }>()
  for (const resource of resources.values()) {
    resource.allowed.push(...methodOrder.filter(method => method === 'OPTIONS' || resource.methods.has(method)))
    const [, prefix, name] = /^([^:]*\/):(\w+)\/$/.exec(resource.path) ?? []
    if (prefix !== undefined && name !== undefined) parameter.set(prefix, { name, resource })
    else whole.set(resource.path, resource)
  }
  return (path: string, ctx: RouterContext): Resource | undefined => {
    const known = whole.get(path)
    if (known !== undefined) return known
    if (!path.endsWith('/')) return undefined
    const start = path.lastIndexOf('/', path.length - 2) + 1
    const found = start < path.length - 1 ? parameter.get(path.slice(0, start)) : undefined
    if (found === undefined) return undefined
    ctx.params = { [found.name]: path.slice(start, -1) }
    return found.resource
  }
}
