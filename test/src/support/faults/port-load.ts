import { setTimeout as pause } from 'node:timers/promises'
import type { Snippet } from '@snippets/domain/entities/snippet.js'
import { type StorageError, unavailable } from '@snippets/domain/ports/errors.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { maxAnswerMs } from '@snippets/domain/ports/stores.js'
import { makeWindow } from '@snippets/domain/queries/page.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { errorText } from '../error-text.js'
import { firstPage } from '../queries.js'
import { anId, anyRevision, changes, draft, now } from '../snippets.js'
import { type Outcome, openLedger } from './ledger.js'
import { type Step, type Target, writeSteps, writes } from './load.js'

export const operations = [...writes, 'get', 'page', 'all', 'user', 'users', 'check'] as const
type Operation = (typeof operations)[number]

export type PortCall = Readonly<{
  operation: Operation
  outcome: Outcome
  reason?: string
  startedAt: number
  ms: number
}>

export type PortLoad = Readonly<ReturnType<typeof portLoad>>

/** Creates the state that all callers of a storage share. Nothing writes to the lasting snippets. */
export const portLoad = (lasting: readonly Snippet[]) => ({
  calls: [] as PortCall[],
  ledger: openLedger(),
  /** Thrown errors, and errors that no operation of the load may get. */
  unexpected: [] as string[],
  /** Reads that miss acknowledged writes, and lists with an id twice. */
  wrongReads: [] as string[],
  lasting,
})

/** Returns a step for each operation of one storage. */
export const portSteps = (
  { snippets, users, check }: Pick<Storage, 'snippets' | 'users' | 'check'>,
  { calls, ledger, unexpected, wrongReads, lasting }: PortLoad,
  counterId: bigint,
): Readonly<Record<Operation, Step>> => {
  const outcomeOf = (operation: Operation, error: StorageError): Outcome => {
    if (error._tag === 'Unavailable') return error.outcome
    if (error._tag === 'KeyInUse') return 'unapplied'
    if (error._tag !== 'NotFound' && error._tag !== 'Stale') unexpected.push(`${operation}: ${error._tag}`)
    return 'rejected'
  }
  /** Calls the storage and notes the outcome. A thrown error counts as an unknown outcome. */
  const call = async <A>(operation: Operation, taskOf: () => TaskEither<StorageError, A>) => {
    const startedAt = performance.now()
    const timeOut = async (): Promise<never> => {
      await pause(2 * maxAnswerMs, undefined, { ref: false })
      throw new Error('no answer')
    }
    const result = await Promise.race([(async () => taskOf()())(), timeOut()]).catch(error => {
      unexpected.push(`${operation} rejects: ${error}`)
      return E.left(unavailable('unknown', error))
    })
    const outcome = E.isRight(result) ? 'done' : outcomeOf(operation, result.left)
    const failure = E.isLeft(result) && { reason: errorText(result.left) }
    calls.push({ operation, outcome, ...failure, startedAt, ms: performance.now() - startedAt })
    return { outcome, value: E.isRight(result) ? result.right : undefined }
  }
  const callFor = async (operation: Operation, taskOf: () => TaskEither<StorageError, Snippet>) => {
    const { outcome, value } = await call(operation, taskOf)
    return { outcome, snippet: value }
  }
  const step = (operation: Operation, taskOf: () => TaskEither<StorageError, unknown>) => async () =>
    (await call(operation, taskOf)).outcome

  const target: Target<Snippet> = {
    create: (title, code) => callFor('create', () => snippets.create(draft({ title, code }))),
    createOnce: (title, code, key) =>
      callFor('createOnce', () =>
        pipe(
          snippets.createOnce(draft({ title, code }), { key, fingerprint: key }),
          TE.map(({ item }) => item),
        ),
      ),
    read: id => callFor('get', () => snippets.get(anId(id))),
    update: (unchanged, code) =>
      callFor('update', () => snippets.update(unchanged.id, changes({ code }), { oneOf: [unchanged] }, now)),
    delete: id => call('delete', () => snippets.delete(anId(id), anyRevision)),
  }
  return {
    ...writeSteps(target, ledger, counterId),
    get: async () => {
      const known = ledger.created.at(-1)
      if (known === undefined) return undefined
      const { outcome, snippet } = await target.read(known.id)
      if (outcome === 'rejected' && !ledger.deletions.has(known.title)) wrongReads.push(`${known.title} is missing`)
      if (snippet !== undefined && snippet.code !== known.code) wrongReads.push(`${known.title} has other content`)
      return outcome
    },
    page: step('page', () => snippets.page(firstPage())),
    all: async () => {
      const ids: bigint[] = []
      const batches = snippets.all()[Symbol.asyncIterator]()
      for (;;) {
        const { outcome, value } = await call('all', () => async () => {
          const next = await batches.next()
          return next.done ? E.right([]) : next.value
        })
        if (value === undefined) return outcome
        if (value.length === 0) break
        ids.push(...value.map(({ id }) => id))
      }
      const listed = new Set(ids)
      if (listed.size < ids.length) wrongReads.push('a list has an id twice')
      if (lasting.some(({ id }) => !listed.has(id))) wrongReads.push(`a list of ${ids.length} misses snippets`)
      return 'done'
    },
    user: step('user', () => users.get(anId(1n))),
    users: step('users', () => users.page(makeWindow(1, 10))),
    check: step('check', () => TE.mapLeft((cause: unknown) => unavailable('unapplied', cause))(check)),
  }
}
