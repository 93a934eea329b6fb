import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Problem } from '../answer/problems.js'
import { Admission, type Load } from './admission.js'
import { Connections } from './connections.js'
import { GatheredRequest } from './gathered-request.js'
import { keepAliveLines } from './head-lines.js'
import { putBack, serveAgain } from './ignored-upgrade.js'
import { defaultLimits, type ServerLimits } from './limits.js'
import { orEarlier, type PoliteResponse, responsesWith } from './polite-response.js'
import { connectNotSupported, problemOfNode, type RefusalOptions, Refusals } from './refusal.js'
import { requestFault } from './request-check.js'
import { stop } from './stop.js'
import { UnsentBytes } from './unsent-bytes.js'

export type Listening = Readonly<{
  url: string
  load: () => Load
  /** Accepts no new connection, waits up to `graceMs` for the requests in flight, then destroys what is left. */
  stop: (graceMs: number) => Promise<void>
}>

/**
 * How many connections the kernel may hold until they are accepted; it has a limit of its own, usually this one. It drops any
 * more, and their clients try again after 1, 3 and 7 s.
 */
const backlog = 4096

export const listen = async (
  listener: RequestListener,
  { host, port }: Readonly<{ host: string; port: number }>,
  changed: Partial<ServerLimits> = {},
  options: RefusalOptions = {},
): Promise<Listening> => {
  const limits = { ...defaultLimits, ...changed }
  const { server, connections, admission } = createParts(listener, limits, options)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host, backlog }, resolve)
  })
  // a connection that could not be accepted, for want of a file descriptor
  server.on('error', () => {})
  return {
    url: urlOf(server.address() as AddressInfo),
    load: () => admission.load,
    stop: graceMs => stop(server, connections, graceMs),
  }
}

const createParts = (listener: RequestListener, limits: ServerLimits, options: RefusalOptions) => {
  const refusals = new Refusals(options, limits.idleMs)
  const unsent = new UnsentBytes(limits.unsentBytes)
  const admission = new Admission(listener, limits, { unsent, refusals })
  const Response = responsesWith({
    unsent,
    keepAlive: keepAliveLines(limits.idleMs),
    handToNode: res => connections.of(res.req.socket)?.handToNode(res),
  })
  const connections = new Connections({
    limits,
    refusals,
    shed: admission.shedEarly,
    listener: admission.serve,
    responseTo: req => new Response(req, { highWaterMark: req.socket.writableHighWaterMark }),
  })
  const server = createLimitedServer(limits, orEarlier(Response))
  serve(server, { connections, refusals }, admission.serve)
  return { server, connections, admission }
}

const createLimitedServer = (limits: ServerLimits, Response: typeof PoliteResponse) => {
  const { headBytes, headMs, requestMs, idleMs, stallMs } = limits
  const server = createServer({
    maxHeaderSize: headBytes,
    // Node demands that the head has no more time than the request
    headersTimeout: Math.min(headMs, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.min(1_000, headMs),
    // a missing Host is answered by the app, with a problem
    requireHostHeader: false,
    IncomingMessage: GatheredRequest,
    ServerResponse: Response,
  })
  // no limit but that of the head's length: past a limit Node drops headers and says nothing
  server.maxHeadersCount = 0
  server.timeout = stallMs
  // not in Node's documentation, but in every version: a client that closes its side still gets its answers
  Object.assign(server, { httpAllowHalfOpen: true })
  return server
}

type Served = Readonly<{ connections: Connections; refusals: Refusals }>

const serve = (
  server: ReturnType<typeof createLimitedServer>,
  { connections, refusals }: Served,
  listener: RequestListener,
): void => {
  const serveChecked = (req: IncomingMessage, res: PoliteResponse): void => {
    const fault = requestFault(req)
    connections.of(req.socket)?.serve(fault === undefined ? listener : refusing(refusals, fault), res)
  }
  server.on('connection', socket => connections.add(socket))
  server.on('request', serveChecked)
  // a listener asks for the body itself, once it wants it
  server.on('checkContinue', serveChecked)
  server.on('checkExpectation', serveChecked)
  server.on('connect', (_req, socket) => {
    const connection = connections.of(socket)
    connection?.whenDetached(() => connection.refuse(connectNotSupported))
  })
  server.on('upgrade', (req, socket, rest) => {
    putBack(req, socket, rest)
    connections.of(socket)?.whenDetached(() => serveAgain(server, socket))
  })
  server.on('timeout', socket => connections.of(socket)?.onTimeout())
  server.on('clientError', (error, socket) => {
    const problem = problemOfNode(error)
    if (problem === undefined) socket.destroy()
    else connections.of(socket)?.refuse(problem)
  })
}

const refusing =
  (refusals: Refusals, fault: Problem): RequestListener =>
  (_req, res) =>
    refusals.answerAndClose(res, fault)

const urlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
