import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AddressInfo, Server as NetServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { problemJson } from './answer/media-types.js'
import { badRequest, type Problem, problem, problemBody } from './answer/problems.js'
import { Connection } from './connection.js'
import { GatheredBody } from './gathered-body.js'
import { stallMs as defaultStallMs } from './stall.js'

export type Listening = Readonly<{
  url: string
  /** Takes no new connection, lets what is under way end, for so long at the most, and cuts the rest. */
  stop: (graceMs: number) => Promise<void>
}>

/** Node's own limits let a slow body live for minutes and a silent connection for ever. */
const limits = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // longer than load balancers keep a connection unused, so that it is they who close it
  keepAliveTimeout: 65_000,
}

/** How long a connection that is not being used is still left open while stopping, in case its next request is on the way. */
const lingerMs = 250

export const listen = async (
  listener: RequestListener,
  { host, port }: { host: string; port: number },
  { stallMs = defaultStallMs }: { stallMs?: number } = {},
): Promise<Listening> => {
  // a missing Host is answered by the app, with a problem
  const server = createServer({ ...limits, requireHostHeader: false, IncomingMessage: GatheredBody })
  // no limit but that of the head's length: past a limit Node drops headers and says nothing
  server.maxHeadersCount = 0
  // a client that does not read its answer
  server.timeout = stallMs
  const connections = new Map<Duplex, Connection>()
  const refused = new WeakSet<Duplex>()
  let stopping = false

  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    connections.get(req.socket)?.handle(attend, req, res)
  }
  const attend = (req: IncomingMessage, res: ServerResponse): void => {
    if (stopping && connections.get(req.socket)?.newest === res) res.shouldKeepAlive = false
    handOver(listener, req, res)
  }
  /** Once on a connection, and behind the answers before it, never over them. */
  const refuse = (socket: Duplex, problem: Problem): void => {
    if (refused.has(socket)) return
    refused.add(socket)
    const connection = connections.get(socket)
    const answering = connection?.newest
    if (answering === undefined || answering.writableFinished) refuseRaw(socket, problem)
    else if (answering.req.complete) answering.once('finish', () => refuseRaw(socket, problem))
    // the body of this request is broken
    else if (answering.headersSent) socket.destroy()
    else {
      connection?.withdrawNewest()
      refuseBy(answering, problem)
    }
  }
  server.on('connection', socket => {
    connections.set(socket, new Connection(socket))
    socket.once('close', () => connections.delete(socket))
    // Node takes its own listener away at CONNECT, and an error that nobody listens for ends the process
    socket.on('error', ignore)
  })
  server.on('request', serve)
  // the app asks for the body once it wants it
  server.on('checkContinue', serve)
  server.on('checkExpectation', (req, res) => {
    connections.get(req.socket)?.handle(() => refuseBy(res, problem('expectation-failed')), req, res)
  })
  server.on('connect', (_req, socket) => {
    // Node has detached the socket, but earlier answers may still be on their way
    socket.on('drain', () => connections.get(socket)?.current?.emit('drain'))
    socket.on('timeout', () => socket.destroy())
    refuse(socket, badRequest('CONNECT is not supported.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const problem = problemOfNode(error)
    if (problem === undefined) socket.destroy()
    else refuse(socket, problem)
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  // a connection that could not be accepted, for want of a file descriptor
  server.on('error', ignore)

  const stop = async (graceMs: number): Promise<void> => {
    stopping = true
    for (const { newest } of connections.values()) if (newest !== undefined) newest.shouldKeepAlive = false
    // http's own close would at once reset the connections that are between two requests
    const closed = new Promise<void>(resolve => NetServer.prototype.close.call(server, () => resolve()))
    const cut = setTimeout(() => server.closeAllConnections(), graceMs)
    await wait(Math.min(lingerMs, graceMs))
    const idle = setInterval(() => {
      server.closeIdleConnections()
      // Node does not count those as idle that never sent anything
      for (const [socket, { newest }] of connections) if (newest === undefined) socket.destroy()
    }, 50)
    await closed
    clearInterval(idle)
    clearTimeout(cut)
  }
  return { url: urlOf(server.address() as AddressInfo), stop }
}

const ignore = (): void => {}

/** Whatever a listener throws costs its connection, not the process. */
const handOver = (handle: RequestListener, req: IncomingMessage, res: ServerResponse): void => {
  const fail = (): void => void req.socket.destroy()
  try {
    const pending: unknown = handle(req, res)
    if (pending instanceof Promise) pending.catch(fail)
  } catch {
    fail()
  }
}

const urlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

/** What Node refuses before there is a request to answer. Undefined when the connection itself is gone. */
const problemOfNode = ({ code = '' }: NodeJS.ErrnoException): Problem | undefined => {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers-too-large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem('request-timeout')
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return problem('body-too-large')
  return code.startsWith('HPE_') ? badRequest('This is not a well-formed HTTP request.') : undefined
}

const refuseBy = (res: ServerResponse, problem: Problem): void => {
  res.writeHead(problem.status, rawHeaders(problem)).end(problemBody(problem))
}

const refuseRaw = (socket: Duplex, problem: Problem): void => {
  if (!socket.writable) return void socket.destroy()
  const head = Object.entries(rawHeaders(problem)).map(([name, value]) => `${name}: ${value}`)
  const start = `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`
  socket.end([start, ...head, `Date: ${new Date().toUTCString()}`, '', problemBody(problem)].join('\r\n'))
  // time for the client to read it: closing at once with bytes unread would reset the connection
  setTimeout(() => socket.destroy(), 1000).unref()
}

const rawHeaders = (problem: Problem) => ({
  'Content-Type': problemJson,
  'Content-Length': Buffer.byteLength(problemBody(problem)),
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': randomUUID(),
  'Cache-Control': 'no-cache',
  Connection: 'close',
})
