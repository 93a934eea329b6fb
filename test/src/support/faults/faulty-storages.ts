import { setTimeout as pause } from 'node:timers/promises'
import type { StorageError } from '@snippets/domain/ports/errors.js'
import * as errors from '@snippets/domain/ports/errors.js'
import { type IdempotencyRecord, isExpired, replay } from '@snippets/domain/ports/idempotency-key.js'
import { maxAnswerMs, type SnippetStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { malformedRowContract, rejectedWriteContract, secret } from '../../contracts/storage/database-errors.js'
import { killContract } from '../../contracts/storage/kill-contract.js'
import { outageContract } from '../../contracts/storage/outage-contract.js'
import { directoryKills } from '../storage/data-directory.js'
import { failingDisk } from '../storage/failing-disk.js'
import { objectHarness, objectOutages } from '../storage/object-harness.js'
import { fetchAgain, fetchInStuckPool, fetchLazily, fetchOnBareConnections, writingLate } from './faulty-clients.js'

/** Makes a store for each storage that is opened on the same data. */
type StorageFault = () => (snippets: SnippetStore) => SnippetStore

/** Calls `act` with each error of this kind before the operation returns it. */
const beforeReturning =
  (tag: StorageError['_tag'], act: (error: StorageError) => unknown): StorageFault =>
  () =>
  snippets => {
    const changed =
      <L extends StorageError, A>(task: TaskEither<L, A>): TaskEither<L, A> =>
      async () => {
        const result = await task()
        if (E.isLeft(result) && result.left._tag === tag) await act(result.left)
        return result
      }
    return {
      ...snippets,
      create: draft => changed(snippets.create(draft)),
      createOnce: (draft, idempotencyKey) => changed(snippets.createOnce(draft, idempotencyKey)),
      get: id => changed(snippets.get(id)),
      update: (id, changes, expected) => changed(snippets.update(id, changes, expected)),
      delete: (id, expected) => changed(snippets.delete(id, expected)),
    }
  }

/** Stores key and snippet in two steps. */
const twoSteps: StorageFault = () => {
  const keys = new Map<string, IdempotencyRecord>()
  return snippets => ({
    ...snippets,
    createOnce: (draft, idempotencyKey) => async () => {
      const record = keys.get(idempotencyKey.key)
      if (record !== undefined && !isExpired(record, draft.created_at)) return replay(record, draft, idempotencyKey)
      const created = await snippets.create(draft)()
      if (E.isRight(created))
        keys.set(idempotencyKey.key, { ...created.right, fingerprint: idempotencyKey.fingerprint })
      return pipe(
        created,
        E.map(item => ({ item, isReplay: false })),
      )
    },
  })
}

const faultsOf = (fault: string) => ({
  ...{ gone: [fault], silent: [fault], answersLost: [fault] },
  ...{ deadPeers: [fault], lostConnections: [fault] },
})

const onFailingDisk = (faultOf: StorageFault) => (): void => {
  const fault = 'writes fail after they were applied'
  outageContract('the faulty storage', {
    ...failingDisk,
    faults: { ...faultsOf(fault), deadPeers: 'no connections', lostConnections: 'no connections' },
    create: async () => {
      const data = await failingDisk.create(fault)
      const wrap = faultOf()
      return {
        ...data,
        open: async users => {
          const storage = await data.open(users)
          return { ...storage, snippets: wrap(storage.snippets) }
        },
      }
    },
  })
}

/** Runs the contract on the object storage, which sends its requests through `faultyFetch`. */
const onObjects = (fault: string, faultyFetch: typeof fetch) => (): void => {
  globalThis.fetch = faultyFetch
  outageContract('the faulty storage', { ...objectOutages, faults: faultsOf(fault) })
}

const openObjects = (faultOf: StorageFault) => async () => {
  const storage = await objectHarness.open()
  return { ...storage, snippets: faultOf()(storage.snippets) }
}

const settlesInTime = 'settles every operation before the deadline, with a Left for a failure'
const losesNothing = 'loses no acknowledged write, repeats no id, and applies no write that it reports as unapplied'

/** Correct storages with one fault each: the contract that notices the fault, and the failure that it reports. */
export const faultyStorages: Readonly<Record<string, readonly [contract: () => void, failure: string]>> = {
  'reports every outcome as unapplied': [
    onFailingDisk(beforeReturning('Unavailable', error => Object.assign(error, { outcome: 'unapplied' }))),
    losesNothing,
  ],
  'has no deadline': [onFailingDisk(beforeReturning('Unavailable', () => pause(maxAnswerMs))), settlesInTime],
  'throws instead of returning a Left': [
    onFailingDisk(beforeReturning('Unavailable', () => Promise.reject(new Error('planted')))),
    settlesInTime,
  ],
  'stores key and snippet in two steps': [onFailingDisk(twoSteps), losesNothing],
  'ends the process when it fails': [
    onFailingDisk(
      beforeReturning('Unavailable', () => {
        setImmediate(() => {
          throw new Error('planted')
        })
      }),
    ),
    'causes no uncaught error',
  ],
  'has no listener for the errors of idle connections': [
    onObjects('reset', fetchOnBareConnections()),
    'causes no uncaught error',
  ],
  'keeps dead connections in its pool': [onObjects('dead peers', fetchInStuckPool()), 'no success within'],
  'repeats a write after a lost connection': [onObjects('lost connections', fetchAgain), losesNothing],
  'acknowledges writes before its database has made them durable': [onObjects('crash', fetchLazily), losesNothing],
  'acknowledges writes before they are on its disk': [
    () => killContract('the faulty storage', directoryKills(writingLate)),
    'loses no acknowledged write, repeats no id, and creates once for each key',
  ],
  'reports a malformed row as NotFound': [
    () => malformedRowContract(openObjects(beforeReturning('Corrupt', error => Object.assign(error, errors.notFound)))),
    'returns Corrupt when it is read or updated, and quotes no text',
  ],
  'reports a rejected write as Unavailable': [
    () =>
      rejectedWriteContract(
        openObjects(
          beforeReturning('Rejected', error => Object.assign(error, errors.unavailable('unapplied', undefined))),
        ),
      ),
    'is Rejected and writes nothing, and reads work',
  ],
  'quotes rows in its errors': [
    () =>
      rejectedWriteContract(
        openObjects(beforeReturning('Rejected', error => Object.assign(error, errors.rejected(new Error(secret))))),
      ),
    'quotes no text of a snippet in its error and in the log',
  ],
}

/** Makes a correct storage that assigns ids to concurrent creations in the reverse of their call order. */
export const reversedIds = (snippets: SnippetStore): SnippetStore => {
  const waiting: (() => void)[] = []
  const turn = (): Promise<void> =>
    new Promise(resolve => {
      if (waiting.push(resolve) > 1) return
      setImmediate(() => {
        for (const begin of waiting.splice(0).reverse()) begin()
      })
    })
  return { ...snippets, create: draft => async () => turn().then(snippets.create(draft)) }
}
