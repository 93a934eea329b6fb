import type { Metrics } from '@snippets/adapters-http/admin/metrics.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { type MongoOptions, openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { right, type TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Log } from './log.js'
import { memoryCeiling } from './memory-ceiling.js'
import type { Settings } from './settings/settings.js'
import { SettingsError } from './settings/settings-error.js'

export type Storage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: is the storage reachable? */
  check: TaskEither<unknown, void>
  /** Resolves once provisioned users exist, which never happens while the database is down. */
  prepared: Promise<void>
  close: () => Promise<void>
}>

/** What a storage can tell of itself, for the metrics. */
export type Watch = Pick<Metrics, 'observeBatch' | 'show'>

export const openStorage = ({ storage, users, memoryLimitMb }: Settings, log: Log, watch?: Watch): Storage => {
  switch (storage.kind) {
    case 'memory':
      return openMemory(users, memoryCeiling(memoryLimitMb), watch)
    case 'mongo':
      return openMongo({ url: storage.url, users, log, ...(watch && { onBatch: watch.observeBatch }) }, watch)
  }
}

const openMemory = (users: readonly User[], ceilingBytes: number, watch?: Watch): Storage => {
  const { heldBytes, ...stores } = memoryStorage({ users, ceilingBytes })
  watch?.show('memory_storage_bytes', 'Bytes that the snippets in memory count as', heldBytes)
  watch?.show('memory_storage_limit_bytes', 'Bytes that they may count as', () => ceilingBytes)
  return { ...stores, check: right(undefined), prepared: Promise.resolve(), close: async () => {} }
}

/** The driver validates the URL further. Its messages contain no password. */
const openMongo = (options: MongoOptions, watch?: Watch): Storage => {
  try {
    const storage = openMongoStorage(options)
    watch?.show('page_indexes_missing', 'Indexes of pages that are not built yet', storage.missingIndexes)
    return storage
  } catch (cause) {
    throw new SettingsError(`MONGODB_URL cannot be used: ${cause instanceof Error ? cause.message : cause}.`, { cause })
  }
}
