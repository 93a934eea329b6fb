import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { problemJson } from '../answer/media-types.js'
import { badRequest, type Problem, problem, problemBody } from '../answer/problems.js'
import type { Observe } from '../koa/observation.js'
import { requestIdOf } from '../koa/request-id.js'
import { traceIdOf } from '../koa/trace-id.js'
import { httpDate, keepAliveLines, statusLine } from './head-lines.js'
import { HeldWrites } from './held-writes.js'
import { hasContentLength } from './parser-watch.js'

/** The answer to what Node refuses before there is a request to hand out. Undefined when the connection itself is gone. */
export const problemOfNode = ({ code = '' }: NodeJS.ErrnoException): Problem | undefined => {
  if (code === 'HPE_HEADER_OVERFLOW') return problem('headers-too-large')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return problem('body-too-large')
  return code.startsWith('HPE_') ? badRequest('This is not a well-formed HTTP request.') : undefined
}

export const requestTimeout = problem('request-timeout')

export const connectNotSupported = badRequest('CONNECT is not supported.')

/** What belongs to the answers that the listener does not give. */
export type RefusalOptions = Readonly<{
  /** Learns of the requests that the listener never sees. */
  observe?: Observe
  /** Headers for whoever asked, such as those of CORS. */
  headersFor?: (req: IncomingMessage) => OutgoingHttpHeaders
  /** The problem that the listener would answer with, where that is known beforehand. Undefined where it has to be asked. */
  foresee?: (req: IncomingMessage) => Problem | undefined
  /** The headers of the answer to a preflight, which is not shed. Undefined for any other request. */
  preflightHeaders?: (req: IncomingMessage) => OutgoingHttpHeaders | undefined
}>

/** How a server refuses requests by itself. */
export class Refusals {
  readonly #options: RefusalOptions
  readonly #held = new HeldWrites()
  readonly #keepAlive: string

  constructor(options: RefusalOptions, idleMs: number) {
    this.#options = options
    this.#keepAlive = keepAliveLines(idleMs)
  }

  /** Refuses a request that the listener has not seen, and leaves the connection open for the next one. */
  answer(res: ServerResponse, problem: Problem): void {
    const before = res.req.socket.bytesWritten
    this.#write(res, problem)
    this.observe(res, problem.status, res.req.socket.bytesWritten - before)
  }

  /** The same for want of room. It is no work to answer a preflight, and only what follows it can be refused to a page. */
  shed(res: ServerResponse, problem: Problem): void {
    const preflight = this.#options.preflightHeaders?.(res.req)
    if (preflight === undefined) {
      this.answer(res, problem)
      return
    }
    const before = res.req.socket.bytesWritten
    res.writeHead(204, { ...commonHeaders, 'X-Request-Id': keptIdOf(res), ...preflight }).end()
    this.observe(res, 204, res.req.socket.bytesWritten - before)
  }

  /**
   * The same before there is a response, which costs several times as much as these few bytes. False for a request that needs
   * one: its body is large or in chunks, or awaits 100 Continue, or its client does not take what is sent.
   */
  shedEarly(req: IncomingMessage, problem: Problem): boolean {
    const { socket, method, httpVersion, headers } = req
    const { 'content-length': length = '0', 'transfer-encoding': coding, expect } = headers
    if (coding !== undefined || Number(length) > maxUnread) return false
    if (expect !== undefined && hasContentLength(req)) return false
    if (httpVersion !== '1.1' || !socket.writable || isStuck(socket)) return false
    if (this.#options.preflightHeaders?.(req) !== undefined) return false
    const { headersFor } = this.#options
    const { start, body } = preparedFor(problem)
    const requestId = requestIdOf(headers)
    const more = headersFor === undefined ? '' : linesOf(headersFor(req))
    const lines = `${more}Date: ${httpDate()}\r\n${this.#keepAlive}X-Request-Id: ${requestId}\r\n`
    const answer = `${start}${lines}\r\n${method === 'HEAD' ? '' : body}`
    this.#held.write(socket, answer)
    this.#observeRefusal(req, { requestId, status: problem.status, bytes: answer.length })
    return true
  }

  foresee(req: IncomingMessage): Problem | undefined {
    return this.#options.foresee?.(req)
  }

  /** Sends what was refused early, before work that may take long. */
  sendHeld(): void {
    this.#held.send()
  }

  /** Refuses a request that the listener has not seen, and closes the connection. */
  answerAndClose(res: ServerResponse, problem: Problem): void {
    res.shouldKeepAlive = false
    this.answer(res, problem)
  }

  /** Answers for a listener that waits for the rest of a request, and closes the connection. */
  breakOff(res: ServerResponse, problem: Problem): void {
    res.shouldKeepAlive = false
    this.#write(res, problem)
  }

  /** The whole answer as it goes over the wire, where there is no request to answer. */
  raw(problem: Problem): string {
    const requestId = requestIdOf({})
    const { start, body } = preparedFor(problem)
    const more = linesOf({ 'X-Request-Id': requestId, Connection: 'close', Date: httpDate() })
    const answer = `${start}${more}\r\n${body}`
    this.#options.observe?.({
      ...unknown,
      requestId,
      method: 'none',
      status: problem.status,
      bytes: Buffer.byteLength(answer),
    })
    return answer
  }

  /** For a request that ended before the listener saw it. */
  observe({ req }: ServerResponse, status: number | undefined, bytes: number): void {
    this.#observeRefusal(req, { requestId: requestIdOf(req.headers), status, bytes })
  }

  #observeRefusal(req: IncomingMessage, { requestId, status, bytes }: Outcome): void {
    this.#options.observe?.({
      traceId: traceIdOf(req),
      token: undefined,
      route: 'refused',
      seconds: 0,
      requestId,
      method: req.method ?? 'none',
      status,
      bytes,
      clientLeft: status === undefined,
    })
  }

  #write(res: ServerResponse, problem: Problem): void {
    const { body, headers } = preparedFor(problem)
    const { headersFor } = this.#options
    res.writeHead(problem.status, { ...headers, 'X-Request-Id': keptIdOf(res), ...headersFor?.(res.req) }).end(body)
  }
}

/** The same for whoever observes the request, as if the client had sent it. Middleware may have set it before. */
const keptIdOf = (res: ServerResponse): string => {
  const { headers } = res.req
  const id = String(res.getHeader('X-Request-Id') ?? requestIdOf(headers))
  headers['x-request-id'] = id
  return id
}

/** Its client does not take what was sent. What is only held back does not count. */
const isStuck = ({ writableLength, writableCorked }: Socket): boolean => writableLength > 0 && writableCorked === 0

/** The largest body that is discarded after an early refusal. */
const maxUnread = 64 * 1024

const commonHeaders = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-cache' }

const unknown = { traceId: undefined, token: undefined, route: 'refused', seconds: 0, clientLeft: false }

type Outcome = Readonly<{ requestId: string; status: number | undefined; bytes: number }>

type Prepared = Readonly<{
  body: string
  headers: Readonly<Record<string, string | number>>
  /** The status line and the headers, as they go over the wire. */
  start: string
}>

const prepared = new WeakMap<Problem, Prepared>()

/** Made once, so that a refusal is much cheaper than an answer. */
const preparedFor = (problem: Problem): Prepared => {
  const known = prepared.get(problem)
  if (known !== undefined) return known
  const body = problemBody(problem)
  const headers = {
    'Content-Type': problemJson,
    'Content-Length': Buffer.byteLength(body),
    ...commonHeaders,
    ...problem.headers,
  }
  const start = `${statusLine(problem.status)}${linesOf(headers)}`
  const made = { body, headers, start }
  prepared.set(problem, made)
  return made
}

const linesOf = (headers: OutgoingHttpHeaders): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
