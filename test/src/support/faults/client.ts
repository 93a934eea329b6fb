import { bytesOf, httpClient, pathOf, type Request } from '../http/http-client.js'
import { type Connection, type HttpResponse, openConnection } from '../http/raw-http.js'
import { header, problemOf } from '../http/representations.js'

/**
 * The meaning of a response for the client. `rejected` is a 404 or 412, `unapplied` and `unknown` are the two kinds of 503,
 * `cut` is an incomplete or missing response.
 */
export type Outcome = 'done' | 'rejected' | 'unapplied' | 'unknown' | 'cut'

type Reply = Readonly<{ outcome: 'cut' } | { outcome: Exclude<Outcome, 'cut'>; response: HttpResponse }>

export type RequestRecord = Readonly<{ outcome: Outcome; startedAt: number; ms: number }>

/** Sends one request at a time, on one connection while the service keeps it open. */
export type ServiceClient = Readonly<{
  request: (request: Request) => Promise<Reply>
  close: () => void
}>

/** Returns a function that creates clients. They check every response against the service's OpenAPI document. */
export const serviceClients = async (
  url: string,
  record: (request: RequestRecord) => void = () => {},
): Promise<() => ServiceClient> => {
  const { host } = new URL(url)
  const describing = httpClient(url)
  const description = await describing.description()
  describing.close()
  return () => {
    let connection: Connection | undefined
    const send = async (request: Request): Promise<Reply> => {
      const { method, target } = request
      if (!connection?.isOpen()) connection = await openConnection(url).catch(() => undefined)
      connection?.send(bytesOf(request, host))
      const attempt = await connection?.attempt(method)
      if (!attempt?.complete) return { outcome: 'cut' }
      const { response } = attempt
      const fault = description.faultOf(method, pathOf(target), response)
      if (fault === undefined) return { outcome: outcomeOf(response), response }
      throw new Error(`${method} ${target} answers ${response.status} against the contract: ${fault}`)
    }
    return {
      request: async request => {
        const startedAt = performance.now()
        const reply = await send(request)
        record({ outcome: reply.outcome, startedAt, ms: performance.now() - startedAt })
        return reply
      },
      close: () => connection?.destroy(),
    }
  }
}

const outcomeOf = (response: HttpResponse): Exclude<Outcome, 'cut'> => {
  const { status, text } = response
  if (status >= 200 && status < 300) return 'done'
  if (status === 404 || status === 412) return 'rejected'
  if (status !== 503 || !/^[1-9][0-9]*$/.test(header(response, 'Retry-After'))) throw new Error(`${status}: ${text}`)
  const { type } = problemOf(response)
  if (type === 'urn:snippets:unavailable') return 'unapplied'
  if (type === 'urn:snippets:outcome-unknown') return 'unknown'
  throw new Error(`unexpected 503 of type ${type}`)
}
