import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { createMemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { type IdempotencyRecord, replay } from '@snippets/domain/entities/idempotency-key.js'
import type { User } from '@snippets/domain/entities/user.js'
import { keyReused, type ListError, type Unavailable, unavailable } from '@snippets/domain/ports/errors.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { maxAnswerMs, type SnippetStore } from '@snippets/domain/ports/stores.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import { keyExpiryContract } from '../../contracts/storage/creating-once.js'
import { killContract } from '../../contracts/storage/kill-contract.js'
import { type BreakableData, outageContract } from '../../contracts/storage/outage-contract.js'
import { importing } from '../service/child-process.js'
import { directoryKills } from '../storage/data-directory.js'

/** Changes the snippets of a storage. `isBroken` tells whether the storage is in an outage. */
type StorageFault = (snippets: SnippetStore, isBroken: () => boolean) => SnippetStore

type Change = <L, A>(task: TaskEither<L, A>) => TaskEither<L | ListError, A>

const changed = (snippets: SnippetStore, read: Change, write: Change): SnippetStore => ({
  create: draft => write(snippets.create(draft)),
  createOnce: (draft, keyed) => write(snippets.createOnce(draft, keyed)),
  update: (...args) => write(snippets.update(...args)),
  delete: (id, expected) => write(snippets.delete(id, expected)),
  get: id => read(snippets.get(id)),
  page: query => read(snippets.page(query)),
  async *all() {
    for await (const batch of snippets.all()) {
      const result = await read(async () => batch)()
      yield result
      if (E.isLeft(result)) return
    }
  },
})

/** Calls `act` with each error of an outage before an operation returns it. */
const beforeFailing =
  (act: (error: object) => unknown): StorageFault =>
  (snippets, isBroken) => {
    const change: Change = task => async () => {
      const result = await task()
      if (isBroken() && E.isLeft(result)) await act(Object(result.left))
      return result
    }
    return changed(snippets, change, change)
  }

/** Never removes a key. */
const twoSteps = (snippets: SnippetStore, keys = new Map<string, IdempotencyRecord>()): SnippetStore => ({
  ...snippets,
  createOnce: (draft, keyed) => async () => {
    const record = keys.get(keyed.key)
    if (record !== undefined) return E.fromOption(() => keyReused)(replay(record, draft, keyed))
    const created = await snippets.create(draft)()
    if (E.isLeft(created)) return created
    keys.set(keyed.key, { ...created.right, fingerprint: keyed.fingerprint })
    return E.right({ item: created.right, isReplay: false })
  },
})

const repeating: StorageFault = snippets => ({
  ...snippets,
  create: draft => async () => {
    const result = await snippets.create(draft)()
    return E.isLeft(result) ? snippets.create(draft)() : result
  },
})

const losingDeletions: StorageFault = (snippets, isBroken) => ({
  ...snippets,
  delete: (id, expected) => async () => (isBroken() ? E.right(undefined) : snippets.delete(id, expected)()),
})

const failingForEver: StorageFault = (snippets, isBroken) => {
  let hasFailed = false
  const change: Change = task => async () => {
    hasFailed ||= isBroken()
    return hasFailed ? E.left(unavailable('unapplied', undefined)) : task()
  }
  return changed(snippets, change, change)
}

/** More than the calls of the rounds during a fault. */
const maxConnections = 100

/** Each operation that begins in an outage holds a connection for ever. */
const leaking: StorageFault = (snippets, isBroken) => {
  let free = maxConnections
  const change: Change = task => async () => {
    if (isBroken()) free--
    return free > 0 ? task() : E.left(unavailable('unapplied', undefined))
  }
  return changed(snippets, change, change)
}

const throwLater = (): void =>
  void setImmediate(() => {
    throw new Error('planted')
  })

/** Storages that lose the replies to writes in an outage, with one more fault each. */
const outageFaults: Readonly<Record<string, StorageFault>> = {
  'has no other fault': snippets => snippets,
  'reports every outcome as unapplied': beforeFailing(error => Object.assign(error, { outcome: 'unapplied' })),
  'has no deadline': beforeFailing(() => pause(maxAnswerMs)),
  'throws instead of returning a Left': beforeFailing(() => Promise.reject(new Error('planted'))),
  'stores key and snippet in two steps': snippets => twoSteps(snippets),
  'repeats a write after a lost reply': repeating,
  'acknowledges writes that it loses': losingDeletions,
  'never recovers': failingForEver,
  'holds connections after the deadline': leaking,
  'throws outside its operations': beforeFailing(throwLater),
}

const faultyData = (fault: StorageFault): BreakableData => {
  let isBroken = false
  let storage: Storage | undefined
  const losing =
    (outcome: Unavailable['outcome']): Change =>
    task =>
    async () => {
      const result = await task()
      return isBroken ? E.left(unavailable(outcome, undefined)) : result
    }
  const [read, write] = [losing('unapplied'), losing('unknown')]
  const openWith = (given: readonly User[]): Storage => {
    const { snippets, users, check, whenPrepared, close } = createMemoryStorage({ users: given })
    return {
      snippets: fault(changed(snippets, read, write), () => isBroken),
      users: { get: id => read(users.get(id)), page: window => read(users.page(window)) },
      check: read(check),
      ...{ whenPrepared, close },
    }
  }
  return {
    open: async users => {
      storage ??= openWith(users)
      return storage
    },
    break: () => {
      isBroken = true
    },
    restore: () => {
      isBroken = false
    },
    remove: async () => {},
  }
}

/** Options of Node.js for a service that responds before LevelDB writes a batch. */
const writingLate = importing(`
  import { ClassicLevel } from '${import.meta.resolve('classic-level')}'
  const { batch } = ClassicLevel.prototype
  let last = Promise.resolve()
  ClassicLevel.prototype.batch = async function (...args) {
    last = last.then(() => new Promise(resolve => setTimeout(resolve, 50)))
    last = last.then(() => batch.apply(this, args)).catch(() => {})
  }`)

const [first = '', ...others] = Object.keys(outageFaults)
const names = [first, ...others] as const

outageContract('a storage', {
  faults: {
    ...{ gone: names, silent: names, answersLost: names },
    ...{ deadPeers: 'no connections', lostConnections: 'no connections' },
  },
  create: async name => faultyData(outageFaults[name] ?? (snippets => snippets)),
  maxConnections,
  isRemote: false,
  faultMs: 300,
  parallelFaults: names.length,
})

describe('a storage that keeps expired keys', () => {
  keyExpiryContract(async () => {
    const { snippets, ...storage } = createMemoryStorage({ users: [] })
    const keys = new Map<string, IdempotencyRecord>()
    return { ...storage, snippets: twoSteps(snippets, keys), countKeys: async () => keys.size }
  })
})

killContract('a storage that acknowledges writes before they are on its disk', directoryKills(writingLate))

describe('a test that mocha itself passes', () => {
  it('leaves a rejection unhandled', () => void Promise.reject('planted'))

  it('leaks listeners', () => {
    const emitter = new EventEmitter()
    for (let i = 0; i <= EventEmitter.defaultMaxListeners; i++) emitter.on('leaked', () => {})
  })
})
