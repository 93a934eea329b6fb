import { type ApiDescription, apiDescription } from './api-description.js'
import { type Answer, type Connection, openConnection } from './raw-http.js'

export type Headers = Readonly<Record<string, string>>

export type Request = Readonly<{ method: string; target: string; headers?: Headers; body?: string | Uint8Array }>

/** A connection whose every answer is held against the service's own description. */
export type CheckedConnection = Omit<Connection, 'answer'> &
  Readonly<{
    ask: (request: Request) => Promise<Answer>
    /** For bytes that no well-meaning client would send. The method and the target are what they are meant to be. */
    askRaw: (bytes: string | Uint8Array, meant: Pick<Request, 'method' | 'target'>) => Promise<Answer>
  }>

/** Of a JSON body a text is sent as it is, anything else as JSON. */
export type Client = Readonly<{
  ask: (request: Request) => Promise<Answer>
  get: (target: string, headers?: Headers) => Promise<Answer>
  head: (target: string, headers?: Headers) => Promise<Answer>
  options: (target: string) => Promise<Answer>
  delete: (target: string, headers?: Headers) => Promise<Answer>
  post: (target: string, body: unknown, headers?: Headers) => Promise<Answer>
  put: (target: string, body: unknown, headers?: Headers) => Promise<Answer>
  patch: (target: string, body: unknown, headers?: Headers) => Promise<Answer>
  connect: () => Promise<CheckedConnection>
  description: () => Promise<ApiDescription>
  close: () => void
}>

/** `onAnswer` is told of every answer, also of one that fails its check. */
export const httpClient = (base: string, onAnswer: (request: Request, answer: Answer) => void = () => {}): Client => {
  const { host, origin } = new URL(base)
  const connections = new Set<Connection>()
  const idle: CheckedConnection[] = []

  const open = async (): Promise<Connection> => {
    const connection = await openConnection(origin)
    connections.add(connection)
    return connection
  }

  let described: Promise<ApiDescription> | undefined
  const describe = async (): Promise<ApiDescription> => {
    const connection = await open()
    connection.send(bytesOf({ method: 'GET', target: '/api/schema/' }, host))
    const { text } = await connection.answer('GET')
    connection.destroy()
    return apiDescription(text)
  }
  const description: Client['description'] = () => {
    described ??= describe()
    return described
  }

  const connect: Client['connect'] = async () => {
    const connection = await open()
    const askRaw: CheckedConnection['askRaw'] = async (bytes, request) => {
      const api = await description()
      connection.send(bytes)
      const answer = await connection.answer(request.method)
      onAnswer(request, answer)
      const fault = faultOf(answer) ?? api.faultOf(request.method, pathOf(request.target), answer)
      if (fault === undefined) return answer
      const { status, text } = answer
      throw new Error(
        `${request.method} ${request.target.slice(0, 200)} answers ${status} against the contract: ${fault}\n${text.slice(0, 500)}`,
      )
    }
    return { ...connection, askRaw, ask: request => askRaw(bytesOf(request, host), request) }
  }

  const ask: Client['ask'] = async request => {
    let connection = idle.pop()
    while (connection !== undefined && !connection.isOpen()) connection = idle.pop()
    connection ??= await connect()
    const answer = await connection.ask(request)
    if (!closes(answer)) idle.push(connection)
    return answer
  }

  const withoutBody = (method: string) => (target: string, headers?: Headers) =>
    ask({ method, target, ...(headers && { headers }) })
  const withBody = (method: string) => (target: string, body: unknown, headers?: Headers) =>
    ask({
      method,
      target,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    ask,
    get: withoutBody('GET'),
    head: withoutBody('HEAD'),
    options: withoutBody('OPTIONS'),
    delete: withoutBody('DELETE'),
    post: withBody('POST'),
    put: withBody('PUT'),
    patch: withBody('PATCH'),
    connect,
    description,
    close: () => {
      for (const connection of connections) connection.destroy()
    },
  }
}

export const bytesOf = ({ method, target, headers = {}, body }: Request, host: string): Buffer => {
  const all = { Host: host, ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body ?? '')])
}

/** The path of a target, which may be in absolute form and have a query string. */
export const pathOf = (target: string): string => target.replace(/^https?:\/\/[^/]*/, '').replace(/\?.*$/s, '')

export const closes = ({ headers }: Answer): boolean => headers.connection === 'close'

/** What holds for every answer, whatever was asked. */
const faultOf = ({ status, headers, text }: Answer): string | undefined => {
  if (!headers['x-request-id']) return 'no X-Request-Id'
  if (headers['x-content-type-options'] !== 'nosniff') return 'X-Content-Type-Options is not nosniff'
  if (headers['x-powered-by'] !== undefined) return 'X-Powered-By tells what it runs on'
  if (headers.etag !== undefined && headers['cache-control'] !== 'no-cache') return 'an ETag without no-cache'
  if (status === 204 && headers['content-length'] !== undefined) return 'a 204 with a Content-Length'
  const spoilt = text.match(/"id":(?!\s*[1-9][0-9]*[,}])/)
  if (spoilt && headers['content-type'] === 'application/json' && !text.startsWith('{"openapi"'))
    return 'an id that is no digits'
  if (status >= 400 && text !== '' && JSON.parse(text).status !== status) return 'a problem that names another status'
  return undefined
}
