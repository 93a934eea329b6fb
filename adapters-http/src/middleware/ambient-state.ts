import type { Problem } from '../problems.js'
import type { BodyTransfer } from '../server/listen.js'

// These declarations are ambient: without an import, they apply to every file of the package.
declare module 'koa' {
  interface DefaultState {
    requestId: string
    /** The host that the client names, and its port. HTTP/1.0 may name none. */
    authority?: string | undefined
    /** The path pattern of the route that responds. */
    route?: string
    tokenName?: string
    /** The id of the item in the path or of the created item. A malformed id stays out. */
    itemId?: string | undefined
    /** The body, if the route reads one. */
    body?: Buffer
    /** The reason why the storage is unavailable. */
    reason?: string
    /** The unexpected error behind the response. */
    err?: unknown
  }
  interface DefaultContext {
    /** Set on `app.context`, the prototype of every context. */
    bodyTransfer: BodyTransfer
  }
}

declare module 'node:http' {
  interface ServerResponse {
    problem?: Problem | undefined
  }
}
