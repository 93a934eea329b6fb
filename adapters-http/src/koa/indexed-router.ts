import Router, { type RouterContext } from '@koa/router'
import type { Middleware } from 'koa'

/** Answers what no route answers. */
export type Fallbacks = Readonly<{
  notFound: (ctx: RouterContext) => unknown
  /** The path is that of a route but for its trailing slash. */
  missingSlash: (ctx: RouterContext, path: string) => unknown
  /** The path does not offer the method. OPTIONS comes here too. */
  otherMethod: (ctx: RouterContext, allowed: readonly string[]) => unknown
}>

type Layer = Router['stack'][number]
type Handler = Layer['stack'][number]
type Resource = Readonly<{ path: string; methods: Map<string, Handler>; allowed: string[] }>

const methodOrder = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/**
 * @koa/router with its matching replaced by maps: whole paths, and paths with one parameter, last or last but one.
 * @koa/router tries every route's pattern on every request and composes the matches anew. Paths are exact, a whole path takes precedence
 * over a parameter, and a known path never falls through to another because of its method, so 404, 405 and the slash
 * redirect come from the same lookup. A route that the maps cannot hold is refused at start.
 */
export class IndexedRouter extends Router {
  readonly #fallbacks: Fallbacks

  constructor(fallbacks: Fallbacks) {
    super({ strict: true, sensitive: true })
    this.#fallbacks = fallbacks
  }

  override use(): never {
    throw new Error('IndexedRouter runs no middleware of its own: add it to the app, where it runs before every route')
  }

  override param(): never {
    throw new Error('IndexedRouter runs no parameter middleware: read the parameter in the route')
  }

  override routes(): Middleware {
    const { notFound, missingSlash, otherMethod } = this.#fallbacks
    const find = indexed(this.stack)
    const everyMethod = allowedIn(new Set(this.stack.flatMap(({ methods }) => methods)))
    return (context, next): unknown => {
      // the router's context is Koa's with the params that `find` sets
      const ctx = context as unknown as RouterContext
      const path = pathOf(ctx.req.url ?? '')
      const resource = find(path, ctx)
      if (resource === undefined) {
        if (canBeInUri(path) && find(`${path}/`, ctx) !== undefined) return missingSlash(ctx, path)
        // a question about the server as a whole (RFC 9110, 9.3.7)
        return path === '*' && ctx.req.method === 'OPTIONS' ? otherMethod(ctx, everyMethod) : notFound(ctx)
      }
      const handler = resource.methods.get(ctx.req.method ?? '')
      if (handler === undefined) return otherMethod(ctx, resource.allowed)
      ctx.routerPath = resource.path
      return handler(ctx, next)
    }
  }
}

/** A target in absolute form, as a proxy sends it, is known by its path. */
const pathOf = (target: string): string => {
  const start = target.startsWith('/') ? 0 : (/^https?:\/\/[^/?]*/i.exec(target)?.[0].length ?? 0)
  const end = target.indexOf('?', start)
  return end < 0 ? target.slice(start) : target.slice(start, end)
}

/** Clients resolve `..` before they follow a redirect, and a `%` that encodes nothing is in no URI. */
const canBeInUri = (path: string): boolean => !/%(?![0-9a-f]{2})|\/(?:\.|%2e){1,2}$/i.test(path)

type Parameterised = Readonly<{ name: string; resource: Resource }>

const indexed = (stack: readonly Layer[]) => {
  const whole = new Map<string, Resource>()
  /** By the path before the parameter, and by that and the path after it. */
  const last = new Map<string, Parameterised>()
  const lastButOne = new Map<string, Parameterised>()
  for (const resource of resourcesOf(stack)) {
    const [, prefix, name, suffix] = /^([^:]*\/):(\w+)\/(.*)$/.exec(resource.path) ?? []
    if (prefix === undefined || name === undefined) whole.set(resource.path, resource)
    else if (suffix === '') last.set(prefix, { name, resource })
    else lastButOne.set(`${prefix}:${suffix}`, { name, resource })
  }
  return (path: string, ctx: RouterContext): Resource | undefined => {
    const known = whole.get(path)
    if (known !== undefined) return known
    if (!path.endsWith('/')) return undefined
    const start = segmentBefore(path, path.length - 1)
    const item = last.get(path.slice(0, start))
    if (item !== undefined) return withParameter(ctx, item, path.slice(start, -1))
    const outer = segmentBefore(path, start - 1)
    const part = lastButOne.get(`${path.slice(0, outer)}:${path.slice(start)}`)
    return part && withParameter(ctx, part, path.slice(outer, start - 1))
  }
}

/** Where the segment starts that the slash at this place ends. */
const segmentBefore = (path: string, slash: number): number => path.lastIndexOf('/', slash - 1) + 1

/** No segment is empty. */
const withParameter = (ctx: RouterContext, { name, resource }: Parameterised, value: string): Resource | undefined => {
  if (value === '') return undefined
  // a literal with a computed key would call into the runtime
  const params: Record<string, string> = {}
  params[name] = value
  ctx.params = params
  return resource
}

const resourcesOf = (stack: readonly Layer[]): Iterable<Resource> => {
  const resources = new Map<string, Resource>()
  for (const layer of stack) {
    const path = indexable(layer.path)
    const resource = resources.get(path) ?? { path, methods: new Map(), allowed: [] }
    for (const method of new Set(layer.methods)) resource.methods.set(method, onlyHandler(layer, method, resource))
    resources.set(path, resource)
  }
  for (const { methods, allowed } of resources.values()) allowed.push(...allowedIn(new Set(methods.keys())))
  return resources.values()
}

const allowedIn = (methods: ReadonlySet<string>): readonly string[] =>
  methodOrder.filter(method => method === 'OPTIONS' || methods.has(method))

/** No pattern but one parameter, as the last segment or the last but one, and a trailing slash. */
const indexable = (path: string | RegExp): string => {
  if (typeof path === 'string' && /^\/(?:[^:*{}()?/]+\/)*(?::\w+\/(?:[^:*{}()?/]+\/)?)?$/.test(path)) return path
  throw new Error(
    `IndexedRouter cannot hold ${path}: a path ends with a slash, and only one of its last two segments may be a parameter`,
  )
}

const onlyHandler = ({ stack }: Layer, method: string, { path, methods }: Resource): Handler => {
  const [handler, ...others] = stack
  if (handler === undefined || others.length > 0) throw new Error(`${method} ${path} needs exactly one handler`)
  if (methods.has(method)) throw new Error(`${method} ${path} is registered twice`)
  return handler
}
