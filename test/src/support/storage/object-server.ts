import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnFreePort } from '../free-port.js'

/** The faults of the object store. */
export const objectFaults = ['refuses connections', 'does not answer', 'loses answers'] as const

export type ObjectServer = Readonly<{
  url: string
  /** Replaces the object. */
  put: (content: string) => void
  break: (fault: string) => void
  restore: () => Promise<void>
  close: () => void
}>

/** A server with one versioned object and conditional replacement, like an object store. */
export const objectServer = async (): Promise<ObjectServer> => {
  let [version, content]: [number, string | undefined] = [0, undefined]
  let fault: string | undefined
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const etag = `"${version}"`
    const { 'if-match': expected, 'if-none-match': absent } = request.headers
    if (fault === 'does not answer') return
    if (request.method === 'PUT') {
      const isCurrent = content === undefined ? absent === '*' : expected === etag
      if (isCurrent) [version, content] = [version + 1, body]
      response.statusCode = isCurrent ? 200 : 412
    } else if (content === undefined) response.statusCode = 404
    if (fault === undefined) response.setHeader('ETag', `"${version}"`).end(request.method === 'GET' ? content : '')
  }
  const server = createServer((request, response) => {
    // a client may abort its request
    answer(request, response).catch(() => response.destroy())
  })
  const port = await listenOnFreePort(server)
  return {
    url: `http://127.0.0.1:${port}/snippets.json`,
    put: text => {
      content = text
    },
    break: next => {
      fault = next
      if (fault !== 'refuses connections') return
      server.close()
      server.closeAllConnections()
    },
    restore: async () => {
      const mustListen = fault === 'refuses connections'
      fault = undefined
      if (mustListen) await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
      else server.closeAllConnections()
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
