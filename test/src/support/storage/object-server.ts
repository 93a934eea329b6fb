import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnFreePort } from '../free-port.js'

type ObjectServer = Readonly<{
  url: string
  get: () => string
  put: (content: string) => void
  /** Answers all writes with 403 from now on. */
  forbidWrites: () => void
  /** Closes all connections and loses what is not durable. */
  crash: () => void
  restart: () => Promise<void>
  close: () => void
}>

type Version = Readonly<{ number: number; content: string | undefined }>

/** More than the writes in flight at the same time: each of two storages sends one after another. */
const lazyWrites = 3

/**
 * A server with one versioned object and conditional replacement, like an object store. A write is durable before its
 * response. If the client sends `Prefer: respond-async`, the last `lazyWrites` writes are not durable.
 */
export const objectServer = async (): Promise<ObjectServer> => {
  let current: Version = { number: 0, content: undefined }
  let durable = current
  let isForbidden = false
  const lazy: Version[] = []
  const replace = (content: string, isLazy = false): void => {
    if (isLazy) lazy.push(current)
    current = { number: current.number + 1, content }
    if (!isLazy) durable = current
    else if (lazy.length === lazyWrites) durable = lazy.shift() ?? durable
  }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { 'if-match': expected, 'if-none-match': absent, prefer } = request.headers
    if (request.method === 'PUT') {
      const isCurrent = current.content === undefined ? absent === '*' : expected === `"${current.number}"`
      response.statusCode = isForbidden ? 403 : isCurrent ? 200 : 412
      if (isCurrent && !isForbidden) replace(body, prefer === 'respond-async')
    } else if (current.content === undefined) response.statusCode = 404
    response.setHeader('ETag', `"${current.number}"`).end(request.method === 'GET' ? current.content : '')
  }
  const server = createServer((request, response) => {
    // a client may abort its request
    respond(request, response).catch(() => response.destroy())
  })
  const port = await listenOnFreePort(server)
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  return {
    url: `http://127.0.0.1:${port}/snippets.json`,
    get: () => current.content ?? '',
    put: content => replace(content),
    forbidWrites: () => {
      isForbidden = true
    },
    crash: () => {
      close()
      current = durable
      lazy.length = 0
    },
    restart: () => new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve)),
    close,
  }
}
