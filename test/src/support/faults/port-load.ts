import { anyRevision, expectOneOf } from '@snippets/domain/entities/revision.js'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { type StorageError, unavailable } from '@snippets/domain/ports/errors.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import * as E from 'fp-ts/lib/Either.js'
import type { CheckedStorage } from '../../contracts/storage/outage-contract.js'
import { errorText } from '../error-text.js'
import { firstPage } from '../queries.js'
import { anId, changes, draft } from '../snippets.js'
import { type Ledger, openLedger } from './ledger.js'

export const portWrites = ['create', 'createOnce', 'update', 'delete'] as const
export const portOperations = [...portWrites, 'get', 'page', 'all', 'user', 'users', 'check'] as const
type PortOperation = (typeof portOperations)[number]

type Outcome = 'done' | 'rejected' | 'unapplied' | 'unknown'

export type PortCall = Readonly<{
  /** The number of the storage that was called. */
  caller: number
  operation: PortOperation
  outcome: Outcome
  /** The reason of a failure. */
  reason?: string
  startedAt: number
  ms: number
}>

/** The state that all callers of a storage share. */
export type PortLoad = Readonly<{
  calls: PortCall[]
  ledger: Ledger
  /** Thrown errors, and errors that no operation of the load may get. */
  unexpected: string[]
  /** Reads that miss acknowledged writes, and lists with an id twice. */
  wrongReads: string[]
  deletable: readonly Snippet[]
  /** Snippets that nothing writes to. */
  lasting: readonly Snippet[]
}>

export const portLoad = (deletable: readonly Snippet[], lasting: readonly Snippet[]): PortLoad => ({
  calls: [],
  ledger: openLedger(),
  unexpected: [],
  wrongReads: [],
  deletable,
  lasting,
})

/** Creates a step for each operation of one storage. Only the steps `update` of the callers write to the counter. */
export const portSteps = (
  { snippets, users, check }: CheckedStorage,
  load: PortLoad,
  counter: Snippet,
  caller = 0,
): Readonly<Record<PortOperation, () => Promise<unknown>>> => {
  const { calls, ledger, unexpected, wrongReads, deletable, lasting } = load
  const { created, creations, deletions, repeating } = ledger
  const account = ledger.counts.get(counter.id) ?? { set: [], inDoubt: 0 }
  ledger.counts.set(counter.id, account)
  let seen: Snippet | undefined

  const outcomeOf = (operation: PortOperation, result: E.Either<StorageError, unknown>): Outcome => {
    if (E.isRight(result)) return 'done'
    const error = result.left
    if (error._tag === 'Unavailable') return error.outcome
    if (error._tag === 'KeyInUse') return 'unapplied'
    if (error._tag !== 'NotFound' && error._tag !== 'Stale') unexpected.push(`${operation}: ${error._tag}`)
    return 'rejected'
  }
  /** Calls the storage and notes the outcome. A thrown error counts as an unknown outcome. */
  const call = async <A>(operation: PortOperation, task: () => Promise<E.Either<StorageError, A>>) => {
    const startedAt = performance.now()
    const result = await task().catch(error => {
      unexpected.push(`${operation} rejects: ${error}`)
      return E.left(unavailable('unknown', error))
    })
    const outcome = outcomeOf(operation, result)
    const failure = E.isLeft(result) && { reason: errorText(result.left) }
    calls.push({ caller, operation, outcome, ...failure, startedAt, ms: performance.now() - startedAt })
    return { outcome, value: E.isRight(result) ? result.right : undefined }
  }
  const note = ({ id, title, code }: Snippet): void => void created.push({ id: String(id), title, code })

  return {
    create: async () => {
      const content = draft({ title: `created ${creations.size}`, code: `code ${creations.size}` })
      creations.set(content.title, 'unknown')
      const { outcome, value } = await call('create', async () => snippets.create(content)())
      creations.set(content.title, outcome)
      if (value !== undefined) note(value)
    },
    /** Repeats a creation until it has succeeded. */
    createOnce: async () => {
      const [serial = creations.size] = repeating
      repeating.delete(serial)
      const content = draft({ title: `created once ${serial}`, code: `code ${serial}` })
      creations.set(content.title, 'unknown')
      const idempotencyKey = { key: `key ${serial}`, fingerprint: String(serial) }
      const { outcome, value } = await call('createOnce', async () => snippets.createOnce(content, idempotencyKey)())
      if (value === undefined) repeating.add(serial)
      else {
        creations.set(content.title, outcome)
        note(value.item)
      }
    },
    /** Adds 1 to the number in the code of the counter. After an unknown outcome it reads the counter first. */
    update: async () => {
      seen ??= (await call('get', async () => snippets.get(counter.id)())).value
      if (seen === undefined) return
      const next = Number(seen.code) + 1
      const expected = expectOneOf([seen])
      const { outcome, value } = await call('update', async () =>
        snippets.update(counter.id, changes({ code: String(next) }), expected)(),
      )
      if (outcome === 'done') account.set.push(next)
      if (outcome === 'unknown') account.inDoubt++
      if (outcome !== 'unapplied') seen = value
    },
    delete: async () => {
      const row = deletable[deletions.size]
      if (row === undefined) return
      deletions.set(row.title, 'unknown')
      const { outcome } = await call('delete', async () => snippets.delete(row.id, anyRevision)())
      deletions.set(row.title, outcome)
    },
    get: async () => {
      const known = created.at(-1)
      if (known === undefined) return
      const { outcome, value } = await call('get', async () => snippets.get(anId(BigInt(known.id)))())
      if (outcome === 'rejected') wrongReads.push(`${known.title} is missing`)
      if (value !== undefined && value.code !== known.code) wrongReads.push(`${known.title} has other content`)
    },
    page: () => call('page', async () => snippets.page(firstPage())()),
    all: async () => {
      const ids: bigint[] = []
      const batches = snippets.all()[Symbol.asyncIterator]()
      const nextBatch = async (): Promise<E.Either<StorageError, readonly Snippet[]>> => {
        const next = await batches.next()
        return next.done ? E.right([]) : next.value
      }
      for (;;) {
        const { value } = await call('all', nextBatch)
        if (value === undefined) return
        if (value.length === 0) break
        ids.push(...value.map(({ id }) => id))
      }
      const listed = new Set(ids)
      if (listed.size < ids.length) wrongReads.push('a list has an id twice')
      if (lasting.some(({ id }) => !listed.has(id))) wrongReads.push(`a list of ${ids.length} misses snippets`)
    },
    user: () => call('user', async () => users.get(anId(1n))()),
    users: () => call('users', async () => users.page(makeWindow(1, 10))()),
    check: () => call('check', async () => E.mapLeft(cause => unavailable('unapplied', cause))(await check())),
  }
}
