import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Connections } from './connections.js'
import { GatheredRequest } from './gathered-request.js'
import { PoliteResponse } from './polite-response.js'
import { connectNotSupported, problemOfNode, refuseWith } from './refusal.js'
import { requestFault } from './request-check.js'
import { stallMs as defaultStallMs } from './stall.js'
import { stop } from './stop.js'

export type Listening = Readonly<{
  url: string
  /** Accepts no new connection, waits up to `graceMs` for the requests in flight, then destroys what is left. */
  stop: (graceMs: number) => Promise<void>
}>

/** How long a connection may pass without a byte, such as one whose client does not read its answer. */
export type ListenOptions = Readonly<{ stallMs?: number }>

const serverOptions = {
  // Node's own limits let a slow body live for minutes and a silent connection for ever
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  // longer than load balancers keep a connection unused, so that it is they who close it
  keepAliveTimeout: 65_000,
  // a missing Host is answered by the app, with a problem
  requireHostHeader: false,
  IncomingMessage: GatheredRequest,
  ServerResponse: PoliteResponse,
}

export const listen = async (
  listener: RequestListener,
  { host, port }: Readonly<{ host: string; port: number }>,
  { stallMs = defaultStallMs }: ListenOptions = {},
): Promise<Listening> => {
  const connections = new Connections()
  const server = createServer(serverOptions)
  // no limit but that of the head's length: past a limit Node drops headers and says nothing
  server.maxHeadersCount = 0
  server.timeout = stallMs
  // not in Node's documentation, but in every version: a client that closes its side still gets its answers
  Object.assign(server, { httpAllowHalfOpen: true })
  serve(server, connections, listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  // a connection that could not be accepted, for want of a file descriptor
  server.on('error', () => {})
  return { url: urlOf(server.address() as AddressInfo), stop: graceMs => stop(server, connections, graceMs) }
}

const serve = (server: ReturnType<typeof createServer>, connections: Connections, listener: RequestListener): void => {
  const serveChecked: RequestListener = (req, res) => {
    const fault = requestFault(req)
    connections.of(req.socket)?.serve(fault === undefined ? listener : refuseWith(fault), res)
  }
  server.on('connection', socket => connections.add(socket))
  server.on('request', serveChecked)
  // a listener asks for the body itself, once it wants it
  server.on('checkContinue', serveChecked)
  server.on('checkExpectation', serveChecked)
  server.on('connect', (_req, socket) => connections.of(socket)?.refuseDetached(connectNotSupported))
  server.on('clientError', (error, socket) => {
    const problem = problemOfNode(error)
    if (problem === undefined) socket.destroy()
    else connections.of(socket)?.refuse(problem)
  })
}

const urlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
