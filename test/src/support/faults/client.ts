import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '@snippets/apps/settings/setting-parsers.js'
import { explicit, generated } from '../../contracts/http/sandbox.js'
import { httpClient } from '../http/http-client.js'
import { ConnectionEnded, type HttpResponse } from '../http/raw-http.js'
import { header, problemOf, snippetOf } from '../http/representations.js'
import { bodyOf } from '../samples.js'
import { startProcess } from '../service/child-process.js'
import type { Ledger, Outcome, StoredSnippet } from './ledger.js'
import { type Target, type Write, writeSteps } from './load.js'

type Shown = StoredSnippet & Readonly<{ etag: string }>

export type RequestRecord = Readonly<{ outcome: Outcome; startedAt: number; ms: number }>

/** Sends one request at a time, on one connection while the service keeps it open. */
type ServiceClient = Target<Shown> & Readonly<{ close: () => void }>

/** Returns a function that creates clients. They check every response against the service's OpenAPI document. */
export const serviceClients =
  (url: string, record: (request: RequestRecord) => void = () => {}) =>
  (): ServiceClient => {
    const client = httpClient(url)
    let updates = 0
    const noteOutcome = async (answer: Promise<HttpResponse>) => {
      const startedAt = performance.now()
      const response = await answer.catch(error => {
        if (error instanceof ConnectionEnded || 'code' in error) return undefined
        throw error
      })
      const outcome: Outcome = response === undefined ? 'cut' : outcomeOf(response)
      record({ outcome, startedAt, ms: performance.now() - startedAt })
      return { outcome, ...(outcome === 'done' && response?.text && { snippet: shownOf(response) }) }
    }
    return {
      create: (title, code) => noteOutcome(client.post(explicit, bodyOf({ title, code }))),
      createOnce: (title, code, key) =>
        noteOutcome(client.post(generated, bodyOf({ title, code }), { 'Idempotency-Key': key })),
      read: id => noteOutcome(client.get(`${explicit}${id}/`)),
      update: ({ id, title, etag }, code) =>
        noteOutcome(
          updates++ % 2 === 0
            ? client.put(`${explicit}${id}/`, bodyOf({ title, code }), { 'If-Match': etag })
            : client.patch(`${generated}${id}/`, { code }, { 'If-Match': etag }),
        ),
      delete: id => noteOutcome(client.delete(`${explicit}${id}/`)),
      close: client.close,
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

type Repeating = Readonly<{
  ledger: Ledger
  counterId: bigint
  shouldContinue?: () => boolean
  paceMs?: number
  names?: readonly Write[]
}>

/** Lets a client repeat each write until `shouldContinue` returns false or the service is gone. */
export const repeatWrites = async (newClient: () => ServiceClient, repeating: Repeating): Promise<void> => {
  const { ledger, counterId, shouldContinue = () => true, paceMs = 1, names = usual } = repeating
  const repeat = async (name: Write): Promise<void> => {
    const client = newClient()
    const step = writeSteps(client, ledger, counterId)[name]
    while (shouldContinue() && (await step()) !== 'cut') await pause(paceMs)
    client.close()
  }
  await Promise.all(names.map(repeat))
}

/** Starts a service that repeats the creations with a key until each has succeeded. Returns its exit code. */
export const finishCreations = async (environment: Environment, ledger: Ledger, counterId: bigint) => {
  const { url, kill, ended } = await startProcess(environment)
  const shouldContinue = () => ledger.repeating.size > 0
  await repeatWrites(serviceClients(url), { ledger, counterId, names: ['createOnce'], shouldContinue })
  kill('SIGTERM')
  return (await ended).code
}
