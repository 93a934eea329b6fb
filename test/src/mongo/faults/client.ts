import { bytesOf, httpClient, pathOf, type Request } from '../../support/http/http-client.js'
import { type Answer, type Connection, openConnection } from '../../support/http/raw-http.js'
import { header, problemOf } from '../../support/http/representations.js'

/**
 * What a client knows from its answer. `refused`: 404 or 412. `unapplied` and `unknown` are the two kinds of 503, and
 * `cut` is no answer, or none that is complete.
 */
export type Outcome = 'done' | 'refused' | 'unapplied' | 'unknown' | 'cut'

export type Told = Readonly<{ outcome: 'cut' } | { outcome: Exclude<Outcome, 'cut'>; answer: Answer }>

export type Asked = Readonly<{ operation: string; outcome: Outcome; startedAt: number; ms: number }>

/** One who asks one thing at a time, on one connection as long as that is kept. */
export type ServiceClient = Readonly<{
  ask: (operation: string, request: Request) => Promise<Told>
  close: () => void
}>

/** Makes clients who hold every answer against the service's own description. */
export const serviceClients = async (
  url: string,
  note: (asked: Asked) => void = () => {},
): Promise<() => ServiceClient> => {
  const { host } = new URL(url)
  const describing = httpClient(url)
  const description = await describing.description()
  describing.close()

  const judge = ({ method, target }: Request, answer: Answer): Told => {
    const fault = description.faultOf(method, pathOf(target), answer)
    if (fault !== undefined)
      throw new Error(`${method} ${target} answers ${answer.status} against the contract: ${fault}`)
    return { outcome: outcomeOf(answer), answer }
  }

  return () => {
    let connection: Connection | undefined
    const send = async (request: Request): Promise<Told> => {
      if (!connection?.isOpen()) connection = await openConnection(url).catch(() => undefined)
      connection?.send(bytesOf(request, host))
      const attempt = await connection?.attempt(request.method)
      return attempt?.complete ? judge(request, attempt.answer) : { outcome: 'cut' }
    }
    return {
      ask: async (operation, request) => {
        const startedAt = performance.now()
        const told = await send(request)
        note({ operation, outcome: told.outcome, startedAt, ms: performance.now() - startedAt })
        return told
      },
      close: () => connection?.destroy(),
    }
  }
}

const outcomeOf = (answer: Answer): Exclude<Outcome, 'cut'> => {
  const { status, text } = answer
  if (status >= 200 && status < 300) return 'done'
  if (status === 404 || status === 412) return 'refused'
  if (status !== 503 || !/^[1-9][0-9]*$/.test(header(answer, 'Retry-After'))) throw new Error(`${status}: ${text}`)
  const { type } = problemOf(answer)
  if (type === 'urn:snippets:unavailable') return 'unapplied'
  if (type === 'urn:snippets:outcome-unknown') return 'unknown'
  throw new Error(`a 503 of the type ${type}`)
}
