import { apiDescription } from './api-description.js'
import { type Connection, type HttpResponse, openConnection } from './raw-http.js'

type Headers = Readonly<Record<string, string>>

export type Request = Readonly<{ method: string; target: string; headers?: Headers; body?: string | Uint8Array }>

type Ask = (request: Request) => Promise<HttpResponse>

export type Client = ReturnType<typeof httpClient>

/** A connection that checks every response against the service's own OpenAPI document. */
export type CheckedConnection = Awaited<ReturnType<Client['connect']>>

/** Reuses idle connections, and checks every response. Calls `onResponse` for each one, even if its check fails. */
export const httpClient = (base: string, onResponse: (request: Request, response: HttpResponse) => void = () => {}) => {
  const { host, origin } = new URL(base)
  const connections = new Set<Connection>()
  const open = async (): Promise<Connection> => {
    const connection = await openConnection(origin)
    connections.add(connection)
    return connection
  }
  const fetchDescription = async () => {
    const connection = await open()
    connection.send(bytesOf({ method: 'GET', target: '/api/schema/' }, host))
    const { text } = await connection.response('GET')
    connection.destroy()
    // without the port, so that services share a description
    return apiDescription(text.replaceAll(`http://${host}`, 'http://service'))
  }
  let described: ReturnType<typeof fetchDescription> | undefined
  const description = () => {
    described ??= fetchDescription()
    return described
  }

  const connect = async () => {
    const api = await description()
    const { response: nextResponse, ...connection } = await open()
    /** Sends bytes unchanged. Checks the response as the response to `request`. */
    const requestRaw = async (bytes: string | Uint8Array, request: Pick<Request, 'method' | 'target'>) => {
      connection.send(bytes)
      const response = await nextResponse(request.method)
      onResponse(request, response)
      const fault = faultOf(response) ?? api.faultOf(request.method, pathOf(request.target), response)
      if (fault === undefined) return response
      const line = `${request.method} ${request.target.slice(0, 200)}`
      throw new Error(`${response.status} to ${line} violates the contract: ${fault}\n${response.text.slice(0, 500)}`)
    }
    const request: Ask = request => requestRaw(bytesOf(request, host), request)
    return { ...connection, requestRaw, request }
  }

  const idle: CheckedConnection[] = []
  const request: Ask = async request => {
    let connection = idle.pop()
    while (connection !== undefined && !connection.isOpen()) connection = idle.pop()
    connection ??= await connect()
    const response = await connection.request(request)
    if (!closes(response)) idle.push(connection)
    return response
  }
  const close = (): void => {
    for (const connection of connections) connection.destroy()
  }
  return { request, ...verbs(request), connect, description, close }
}

const verbs = (request: Ask) => {
  const withoutBody =
    (method: string) =>
    (target: string, headers: Headers = {}) =>
      request({ method, target, headers })
  /** A string body is sent unchanged, any other body as JSON. */
  const withBody =
    (method: string) =>
    (target: string, given: unknown, headers: Headers = {}) => {
      const body = typeof given === 'string' ? given : JSON.stringify(given)
      return request({ method, target, headers: { 'Content-Type': 'application/json', ...headers }, body })
    }
  return {
    get: withoutBody('GET'),
    head: withoutBody('HEAD'),
    options: withoutBody('OPTIONS'),
    delete: withoutBody('DELETE'),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
  }
}

const bytesOf = ({ method, target, headers = {}, body }: Request, host: string): Buffer => {
  const all = { Host: host, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body ?? '')])
}

/** Returns the path of a request target, which may be absolute and have a query string. */
export const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/]*/i, '').replace(/\?.*$/s, '')

export const closes = ({ headers }: HttpResponse): boolean => headers.connection === 'close'

/** Checks the rules for all responses. */
const faultOf = ({ status, headers, text }: HttpResponse): string | undefined => {
  if (!headers['x-request-id']) return 'no X-Request-Id'
  if (headers['x-content-type-options'] !== 'nosniff') return 'X-Content-Type-Options is not nosniff'
  if (headers['x-powered-by'] !== undefined) return 'X-Powered-By gives away the framework'
  if (headers.etag !== undefined && headers['cache-control'] !== 'no-cache') return 'an ETag without no-cache'
  if (status === 204 && headers['content-length'] !== undefined) return 'a 204 with a Content-Length'
  const malformedId = text.match(/"id":(?!\s*[1-9][0-9]*[,}])/)
  if (malformedId && headers['content-type'] === 'application/json' && !text.startsWith('{"openapi"'))
    return 'an id that is not all digits'
  if (status >= 400 && text !== '' && JSON.parse(text).status !== status) return 'a problem with another status inside'
  return undefined
}
