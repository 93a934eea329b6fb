import type { RequestListener } from 'node:http'
import Koa from 'koa'

/**
 * Koa, less what a request does not need here. Koa's own callback watches each response to its end, composes, and writes
 * `ctx.body` when the chain has come back; together that is more work than all the rest of a small request. Handlers here
 * write their answer themselves (see answer.ts), so the listener makes Koa's context, calls the one middleware and is done.
 * What a handler throws is emitted as `error`, as Koa does.
 */
export class DirectKoa extends Koa {
  requestListener(): RequestListener {
    const [dispatch, ...others] = this.middleware
    if (dispatch === undefined || others.length > 0) throw new Error('this app needs exactly one middleware')
    return async (req, res): Promise<void> => {
      const ctx = this.createContext(req, res)
      try {
        const pending: unknown = dispatch(ctx, nothingNext)
        if (pending !== undefined) await pending
      } catch (error) {
        this.emit('error', error, ctx)
      }
    }
  }
}

export const nothingNext = async (): Promise<void> => {}
