import { type ApiDescription, apiDescription } from './api-description.js'
import { type Connection, type HttpResponse, openConnection } from './raw-http.js'

type Headers = Readonly<Record<string, string>>

export type Request = Readonly<{ method: string; target: string; headers?: Headers; body?: string | Uint8Array }>

/** A connection that checks every response against the service's own OpenAPI document. */
export type CheckedConnection = Omit<Connection, 'response'> &
  Readonly<{
    request: (request: Request) => Promise<HttpResponse>
    /** Sends bytes unchanged. Checks the response as the response to `request`. */
    requestRaw: (bytes: string | Uint8Array, request: Pick<Request, 'method' | 'target'>) => Promise<HttpResponse>
  }>

type Verb = (target: string, headers?: Headers) => Promise<HttpResponse>
/** A string body is sent unchanged, any other body as JSON. */
type VerbWithBody = (target: string, body: unknown, headers?: Headers) => Promise<HttpResponse>

/** Reuses idle connections, and checks every response. */
export type Client = Readonly<{
  request: (request: Request) => Promise<HttpResponse>
  get: Verb
  head: Verb
  options: Verb
  delete: Verb
  post: VerbWithBody
  put: VerbWithBody
  patch: VerbWithBody
  connect: () => Promise<CheckedConnection>
  description: () => Promise<ApiDescription>
  close: () => void
}>

type OnResponse = (request: Request, response: HttpResponse) => void

/** Calls `onResponse` for every response, even if its check fails. */
export const httpClient = (base: string, onResponse: OnResponse = () => {}): Client => {
  const { host, origin } = new URL(base)
  const connections = new Set<Connection>()
  const open = async (): Promise<Connection> => {
    const connection = await openConnection(origin)
    connections.add(connection)
    return connection
  }
  let described: Promise<ApiDescription> | undefined
  const description: Client['description'] = () => {
    described ??= open().then(connection => fetchDescription(connection, host))
    return described
  }
  const connect: Client['connect'] = async () => {
    const api = await description()
    return checked(await open(), { host, api, onResponse })
  }
  const request = keepingAlive(connect)
  return {
    request,
    ...verbs(request),
    connect,
    description,
    close: () => {
      for (const connection of connections) connection.destroy()
    },
  }
}

const fetchDescription = async (connection: Connection, host: string): Promise<ApiDescription> => {
  connection.send(bytesOf({ method: 'GET', target: '/api/schema/' }, host))
  const { text } = await connection.response('GET')
  connection.destroy()
  // without the port, so that services share a description
  return apiDescription(text.replaceAll(`http://${host}`, 'http://service'))
}

type Check = Readonly<{ host: string; api: ApiDescription; onResponse: OnResponse }>

const checked = (connection: Connection, { host, api, onResponse }: Check): CheckedConnection => {
  const requestRaw: CheckedConnection['requestRaw'] = async (bytes, request) => {
    connection.send(bytes)
    const response = await connection.response(request.method)
    onResponse(request, response)
    const fault = faultOf(response) ?? api.faultOf(request.method, pathOf(request.target), response)
    if (fault === undefined) return response
    const line = `${request.method} ${request.target.slice(0, 200)}`
    throw new Error(`${response.status} to ${line} violates the contract: ${fault}\n${response.text.slice(0, 500)}`)
  }
  return { ...connection, requestRaw, request: request => requestRaw(bytesOf(request, host), request) }
}

/** Sends each request on an idle connection, or on a new one. */
const keepingAlive = (connect: Client['connect']): Client['request'] => {
  const idle: CheckedConnection[] = []
  return async request => {
    let connection = idle.pop()
    while (connection !== undefined && !connection.isOpen()) connection = idle.pop()
    connection ??= await connect()
    const response = await connection.request(request)
    if (!closes(response)) idle.push(connection)
    return response
  }
}

const verbs = (request: Client['request']) => {
  const withoutBody =
    (method: string): Verb =>
    (target, headers = {}) =>
      request({ method, target, headers })
  const withBody =
    (method: string): VerbWithBody =>
    (target, given, headers) => {
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

export const bytesOf = ({ method, target, headers = {}, body }: Request, host: string): Buffer => {
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
