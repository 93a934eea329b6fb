import { resolve } from 'node:path'
import type { Metrics } from '@snippets/adapters-http/admin/metrics.js'
import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports/ports.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Log } from '../logging/logger.js'
import { hideCredentials, SettingsError } from '../operator.js'
import { memoryCeiling } from '../settings/memory-ceiling.js'
import type { Settings } from '../settings/settings.js'

export type Storage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: is the storage reachable? */
  check: TE.TaskEither<unknown, void>
  /** Resolves once provisioned users exist, which never happens while the database is down. */
  prepared: Promise<void>
  close: () => Promise<void>
}>

/** Rejects with a sentence for the operator. */
export const openStorage = async (settings: Settings, log: Log, metrics?: Metrics): Promise<Storage> => {
  if (settings.STORAGE === 'mongo') return openMongo(settings, log, metrics)
  const ceilingBytes = memoryCeiling(settings.MEMORY_LIMIT_MB)
  const options = { users: settings.USERS, ceilingBytes }
  const storage = O.isSome(settings.DATA_DIR)
    ? await openKept(settings.DATA_DIR.value, options, log)
    : { ...memoryStorage(options), check: TE.right(undefined), close: async () => {} }
  metrics?.show('memory_storage_bytes', 'Bytes that the snippets in memory count as', storage.heldBytes)
  metrics?.show('memory_storage_limit_bytes', 'Bytes that they may count as', () => ceilingBytes)
  return { ...storage, prepared: Promise.resolve() }
}

type MemoryOptions = Parameters<typeof memoryStorage>[0]

const progressEveryMs = 1000

/** LevelDB is a native library, loaded only here. */
const openKept = async (directory: string, options: MemoryOptions, log: Log) => {
  const { openKeptStorage } = await import('@snippets/adapters-memory/kept/kept-storage.js')
  let shownAt = performance.now()
  const opened = await openKeptStorage({
    ...options,
    directory,
    onProgress: (read, total) => {
      if (performance.now() - shownAt < progressEveryMs) return
      shownAt = performance.now()
      log.info({ read, total }, 'reading the snippets back')
    },
    onFailure: err => log.error({ err }, 'snippets cannot be kept: writes fail until a restart, reads go on'),
  })()
  if (E.isRight(opened)) return opened.right
  throw new SettingsError(`DATA_DIR cannot be used: ${hideCredentials(`${resolve(directory)} ${opened.left}`)}.`)
}

/** The driver validates the URL further; its messages hold no password. It is half of all modules, and loaded only here. */
const openMongo = async ({ MONGODB_URL, USERS }: Settings, log: Log, metrics?: Metrics): Promise<Storage> => {
  const { openMongoStorage } = await import('@snippets/adapters-mongo/mongo-storage.js')
  try {
    return openMongoStorage({
      url: MONGODB_URL,
      users: USERS,
      log,
      ...(metrics && { onBatch: metrics.observeBatch }),
    })
  } catch (cause) {
    throw new SettingsError(`MONGODB_URL cannot be used: ${cause instanceof Error ? cause.message : cause}.`, { cause })
  }
}
