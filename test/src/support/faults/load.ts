import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { explicit, families, generated } from '../../contracts/http/sandbox.js'
import { eventually } from '../eventually.js'
import { header, snippetOf } from '../http/representations.js'
import { bodyOf } from '../samples.js'
import type { ServiceProcess } from '../service/child-process.js'
import { type Outcome, type ServiceClient, serviceClients } from './client.js'
import type { Ledger, StoredSnippet } from './ledger.js'

/** Sends one request, and returns its outcome. */
type Step = () => Promise<Outcome>

export type StepOf = (client: ServiceClient) => Step

/** Repeats each step on its own connection until `shouldContinue` returns false or the service is gone. */
export const repeating = async (
  newClient: () => ServiceClient,
  steps: readonly StepOf[],
  shouldContinue: () => boolean = () => true,
): Promise<void> => {
  const repeat = async (stepOf: StepOf): Promise<void> => {
    const client = newClient()
    const step = stepOf(client)
    while (shouldContinue() && (await step()) !== 'cut');
    client.close()
  }
  await Promise.all(steps.map(repeat))
}

/** Creates a step that pauses first. */
export const paced =
  (stepOf: StepOf): StepOf =>
  client => {
    const step = stepOf(client)
    return async () => {
      await pause(10)
      return step()
    }
  }

/** Lets clients repeat these steps, and kills the service `afterMs` after each step has succeeded twice. */
export const killWhileWriting = async (
  { url, kill, ended }: ServiceProcess,
  steps: readonly StepOf[],
  afterMs: number,
): Promise<void> => {
  const successes = steps.map(() => 0)
  const counted = steps.map(
    (stepOf, i): StepOf =>
      client => {
        const step = stepOf(client)
        return async () => {
          const outcome = await step()
          if (outcome === 'done') successes[i] = (successes[i] ?? 0) + 1
          return outcome
        }
      },
  )
  const repeated = repeating(await serviceClients(url), counted)
  await eventually(() => successes.every(count => count >= 2), 30_000)
  await pause(afterMs)
  kill('SIGKILL')
  await repeated
  expect(await ended).to.include({ signal: 'SIGKILL' })
}

const json = { 'Content-Type': 'application/json' }

const eitherFamily = (serial: number): string => families[serial % families.length]?.path ?? explicit

/** Every other creation carries a key, and is retried until it has succeeded: by another client when this client is cut off. */
export const creating =
  ({ created, creations, repeating }: Ledger): StepOf =>
  client =>
  async () => {
    const [repeated] = repeating
    if (repeated !== undefined) repeating.delete(repeated)
    const serial = repeated ?? creations.size
    const isKeyed = serial % 2 === 1
    const content = bodyOf({ title: `created ${serial}`, code: `code ${serial}`, language: 'load' })
    creations.set(content.title, 'unknown')
    const body = JSON.stringify(content)
    const headers = { ...json, ...(isKeyed && { 'Idempotency-Key': `load-${serial}` }) }
    const reply = await client.request({ method: 'POST', target: eitherFamily(serial >> 1), headers, body })
    // a retry that wrote nothing does not tell the outcome of the request before it
    creations.set(content.title, isKeyed && reply.outcome !== 'done' ? 'unknown' : reply.outcome)
    if (isKeyed && reply.outcome !== 'done') repeating.add(serial)
    if (reply.outcome === 'done') created.push(snippetOf(reply.response))
    return reply.outcome
  }

export const deleting =
  ({ deletions }: Ledger, rows: readonly StoredSnippet[]): StepOf =>
  client =>
  async () => {
    const row = rows[deletions.size]
    if (row === undefined) throw new Error('nothing left to delete')
    const { id, title } = row
    deletions.set(title, 'unknown')
    const reply = await client.request({ method: 'DELETE', target: `${eitherFamily(deletions.size)}${id}/` })
    deletions.set(title, reply.outcome)
    return reply.outcome
  }

/**
 * Adds 1 to the number in the code of a snippet, if it is unchanged since it was last read. After an unknown outcome it
 * reads the snippet again first.
 */
export const counting =
  ({ counts }: Ledger, id: bigint, method: 'PUT' | 'PATCH'): StepOf =>
  client => {
    const account = counts.get(id) ?? { set: [], inDoubt: 0 }
    counts.set(id, account)
    let seen: Readonly<{ count: number; etag: string }> | undefined
    let serial = 0

    const read: Step = async () => {
      const reply = await client.request({ method: 'GET', target: `${eitherFamily(serial++)}${id}/` })
      if (reply.outcome === 'done')
        seen = { count: Number(snippetOf(reply.response).code), etag: header(reply.response, 'ETag') }
      return reply.outcome
    }
    return async () => {
      if (seen === undefined) return read()
      const { count, etag } = seen
      const change = {
        ...(method === 'PUT' && bodyOf({ title: `counter ${id}`, language: 'load' })),
        code: String(count + 1),
      }
      const target = `${method === 'PUT' ? eitherFamily(serial++) : generated}${id}/`
      const reply = await client.request({
        method,
        target,
        headers: { ...json, 'If-Match': etag },
        body: JSON.stringify(change),
      })
      seen = undefined
      if (reply.outcome === 'done') {
        account.set.push(count + 1)
        seen = { count: count + 1, etag: header(reply.response, 'ETag') }
      } else if (reply.outcome === 'unapplied') seen = { count, etag }
      else if (reply.outcome !== 'rejected') account.inDoubt++
      return reply.outcome
    }
  }
