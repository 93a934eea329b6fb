import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context, type Middleware } from 'koa'
import { PoliteResponse } from '../server/polite-response.js'

type Listener = ReturnType<Koa['callback']>

type Parts = Readonly<{
  /** Sees every request first, also one that other middleware answers. */
  enter: (ctx: Context) => void
  /** Called next where there is other middleware. */
  enterOrdinary: (ctx: Context) => void
  routes: Middleware
}>

/**
 * Koa whose routes run after all other middleware, whenever that was added. While there is no other middleware the
 * listener is a short cut: Koa without koa-compose, on-finished and `ctx.body`, which together cost more than the rest of
 * a small request. Hono does the same for a single handler.
 *
 * On the short cut `ctx.respond` is false, Koa's own sign that handlers write the response themselves.
 */
export class ShortcutKoa extends Koa {
  readonly #parts: Parts

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  override callback(): Listener {
    const added = this.middleware
    // Koa's type also allows HTTP/2, whose requests and responses look the same
    if (added.length === 0 && this.ctxStorage === undefined) return this.#shortcut as Listener
    const { enter, enterOrdinary, routes } = this.#parts
    const first: Middleware = (ctx, next) => {
      enter(ctx)
      enterOrdinary(ctx)
      return next()
    }
    this.middleware = [first, ...added, routes]
    const listener = super.callback()
    this.middleware = added
    return (req, res) => {
      // middleware may expect all that Node does for a response
      if (res instanceof PoliteResponse) res.giveToNode()
      return listener(req, res)
    }
  }

  readonly #shortcut = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const ctx = this.createContext(req, res)
    ctx.respond = false
    try {
      this.#parts.enter(ctx)
      const pending: unknown = this.#parts.routes(ctx, nothingNext)
      if (pending !== undefined) await pending
    } catch (error) {
      // Koa's type expects an Error, but anything can be thrown
      ctx.onerror(error as Error)
    }
  }
}

const nothingNext = async (): Promise<void> => {}
