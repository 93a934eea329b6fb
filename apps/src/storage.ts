import { setFlagsFromString } from 'node:v8'
import type { Metrics } from '@snippets/adapters-http/admin/metrics.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { MongoOptions } from '@snippets/adapters-mongo/mongo-storage.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Log } from './log.js'
import { memoryCeiling } from './memory-ceiling.js'
import type { Settings } from './settings/settings.js'
import { SettingsError } from './settings/settings-error.js'

export type Storage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: is the storage reachable? */
  check: TaskEither<unknown, void>
  /** Whether it would at once refuse an update, a deletion or a page. */
  isBusy?: () => boolean
  /** Resolves once provisioned users exist, which never happens while the database is down. */
  prepared: Promise<void>
  close: () => Promise<void>
}>

/** What a storage can tell of itself, for the metrics. */
export type StorageMetrics = Pick<Metrics, 'observeBatch' | 'show'>

/** Rejects with a sentence for the operator. */
export const openStorage = async (settings: Settings, log: Log, metrics?: StorageMetrics): Promise<Storage> => {
  const { storage, users } = settings
  switch (storage.kind) {
    case 'memory':
      return openMemory(settings, storage.directory, log, metrics)
    case 'mongo':
      return openMongo({ url: storage.url, users, log, ...(metrics && { onBatch: metrics.observeBatch }) })
  }
}

const openMemory = async (
  { users, memoryLimitMb }: Settings,
  directory: string | undefined,
  log: Log,
  metrics?: StorageMetrics,
): Promise<Storage> => {
  const ceilingBytes = memoryCeiling(memoryLimitMb)
  const { heldBytes, ...storage } =
    directory === undefined
      ? { ...memoryStorage({ users, ceilingBytes }), check: async () => E.right(undefined), close: async () => {} }
      : await (await import('./kept-storage.js')).openKept({ directory, users, ceilingBytes }, log)
  metrics?.show('memory_storage_bytes', 'Bytes that the snippets in memory count as', heldBytes)
  metrics?.show('memory_storage_limit_bytes', 'Bytes that they may count as', () => ceilingBytes)
  return { ...storage, prepared: Promise.resolve() }
}

/**
 * V8 would allocate in its old generation what has survived often, as requests do that wait for a database that is away. What
 * comes after them is short-lived again, but would stay there and keep all that it refers to. Storage
 * in memory keeps V8's default, because its rows do live long.
 */
const allocateYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring')

/** The driver validates the URL further. Its messages contain no password. It is loaded only here: it is half of all modules. */
const openMongo = async (options: MongoOptions): Promise<Storage> => {
  allocateYoung()
  const { openMongoStorage } = await import('@snippets/adapters-mongo/mongo-storage.js')
  try {
    return openMongoStorage(options)
  } catch (cause) {
    throw new SettingsError(`MONGODB_URL cannot be used: ${cause instanceof Error ? cause.message : cause}.`, { cause })
  }
}
