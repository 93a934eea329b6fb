import { setTimeout as pause } from 'node:timers/promises'
import { explicit, generated } from '../../contracts/http/sandbox.js'
import { bytesOf, httpClient, pathOf, type Request } from '../http/http-client.js'
import { type Connection, type HttpResponse, openConnection } from '../http/raw-http.js'
import { header, problemOf, snippetOf } from '../http/representations.js'
import { bodyOf } from '../samples.js'
import type { Ledger, Outcome, StoredSnippet } from './ledger.js'
import { type Target, type Write, writeSteps } from './load.js'

type Shown = StoredSnippet & Readonly<{ etag: string }>

export type RequestRecord = Readonly<{ outcome: Outcome; startedAt: number; ms: number }>

/** Sends one request at a time, on one connection while the service keeps it open. */
type ServiceClient = Target<Shown> & Readonly<{ close: () => void }>

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
    let updates = 0
    const attempt = async (request: Request) => {
      const { method, target } = request
      if (!connection?.isOpen()) connection = await openConnection(url).catch(() => undefined)
      connection?.send(bytesOf(request, host))
      const attempt = await connection?.attempt(method)
      if (!attempt?.complete) return { outcome: 'cut' } as const
      const { response } = attempt
      const fault = description.faultOf(method, pathOf(target), response)
      if (fault !== undefined)
        throw new Error(`${method} ${target} answers ${response.status} against the contract: ${fault}`)
      const outcome = outcomeOf(response)
      return { outcome, ...(outcome === 'done' && response.text !== '' && { snippet: shownOf(response) }) }
    }
    const send = async (method: string, target: string, content?: object, headers = {}) => {
      const startedAt = performance.now()
      const json = content && {
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(content),
      }
      const reply = await attempt({ method, target, ...json })
      record({ outcome: reply.outcome, startedAt, ms: performance.now() - startedAt })
      return reply
    }
    return {
      create: (title, code) => send('POST', explicit, bodyOf({ title, code })),
      createOnce: (title, code, key) => send('POST', generated, bodyOf({ title, code }), { 'Idempotency-Key': key }),
      read: id => send('GET', `${explicit}${id}/`),
      update: ({ id, title, etag }, code) =>
        updates++ % 2 === 0
          ? send('PUT', `${explicit}${id}/`, bodyOf({ title, code }), { 'If-Match': etag })
          : send('PATCH', `${generated}${id}/`, { code }, { 'If-Match': etag }),
      delete: id => send('DELETE', `${explicit}${id}/`),
      close: () => connection?.destroy(),
    }
  }
}

const shownOf = (response: HttpResponse): Shown => {
  const { id, title, code } = snippetOf(response)
  return { id: BigInt(id), title, code, etag: header(response, 'ETag') }
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

/** Two clients create without a key, and two with a key. */
const usual: readonly Write[] = ['create', 'create', 'createOnce', 'createOnce', 'update', 'delete']

/** Lets a client repeat each write until `shouldContinue` returns false or the service is gone. */
export const repeatWrites = async (
  newClient: () => ServiceClient,
  {
    ledger,
    counterId,
    shouldContinue = () => true,
    paceMs = 1,
    names = usual,
  }: Readonly<{
    ledger: Ledger
    counterId: bigint
    shouldContinue?: () => boolean
    paceMs?: number
    names?: readonly Write[]
  }>,
): Promise<void> => {
  const repeat = async (name: Write): Promise<void> => {
    const client = newClient()
    const step = writeSteps(client, ledger, counterId)[name]
    while (shouldContinue() && (await step()) !== 'cut') await pause(paceMs)
    client.close()
  }
  await Promise.all(names.map(repeat))
}
