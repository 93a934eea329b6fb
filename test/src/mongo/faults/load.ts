import { explicit, families, generated } from '../../contracts/http/workspace.js'
import { header, snippetOf } from '../../support/http/representations.js'
import type { Outcome, ServiceClient } from './client.js'
import type { Ledger, Row } from './ledger.js'

/** One thing that a client does, over and over; it tells how that went. */
export type Step = () => Promise<Outcome>

const json = { 'Content-Type': 'application/json' }

const eitherFamily = (serial: number): string => families[serial % families.length]?.path ?? explicit

export const creating = (client: ServiceClient, ledger: Ledger): Step => {
  const { created, creations } = ledger
  return async () => {
    const serial = creations.size
    const content = { title: `created ${serial}`, code: `code ${serial}`, language: 'load' }
    creations.set(content.title, 'unknown')
    const body = JSON.stringify(content)
    const told = await client.ask('create', { method: 'POST', target: eitherFamily(serial), headers: json, body })
    creations.set(content.title, told.outcome)
    if (told.outcome === 'done') created.push(snippetOf(told.answer))
    return told.outcome
  }
}

/** Deletes one of the rows after the other. */
export const deleting = (client: ServiceClient, { deletions }: Ledger, rows: readonly Row[]): Step => {
  return async () => {
    const { _id, title } = rows[deletions.size] ?? never()
    deletions.set(title, 'unknown')
    const told = await client.ask('delete', { method: 'DELETE', target: `${eitherFamily(deletions.size)}${_id}/` })
    deletions.set(title, told.outcome)
    return told.outcome
  }
}

/**
 * Adds 1 to the number in the code of a snippet, on the condition that it is as last seen. Whoever cannot know looks
 * again first.
 */
export const counting = (client: ServiceClient, { counts }: Ledger, id: bigint, method: 'PUT' | 'PATCH'): Step => {
  const account = counts.get(id) ?? { set: [], inDoubt: 0 }
  counts.set(id, account)
  let seen: Readonly<{ count: number; etag: string }> | undefined
  let serial = 0

  const look: Step = async () => {
    const told = await client.ask('get', { method: 'GET', target: `${eitherFamily(serial++)}${id}/` })
    if (told.outcome === 'done')
      seen = { count: Number(snippetOf(told.answer).code), etag: header(told.answer, 'ETag') }
    return told.outcome
  }
  return async () => {
    if (seen === undefined) return look()
    const { count, etag } = seen
    const change = { code: String(count + 1), ...(method === 'PUT' && { title: `counter ${id}`, language: 'load' }) }
    const target = `${method === 'PUT' ? eitherFamily(serial++) : generated}${id}/`
    const told = await client.ask(method === 'PUT' ? 'put' : 'patch', {
      method,
      target,
      headers: { ...json, 'If-Match': etag },
      body: JSON.stringify(change),
    })
    seen = undefined
    if (told.outcome === 'done') {
      account.set.push(count + 1)
      seen = { count: count + 1, etag: header(told.answer, 'ETag') }
    } else if (told.outcome === 'unapplied') seen = { count, etag }
    else if (told.outcome !== 'refused') account.inDoubt++
    return told.outcome
  }
}

const never = (): never => {
  throw new Error('there is nothing left to delete')
}
