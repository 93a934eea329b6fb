import { memoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { openMongoStorage } from '@snippets/adapters-mongo/mongo-storage.js'
import type { SnippetStore, UserStore } from '@snippets/domain/ports.js'
import type { User } from '@snippets/domain/user.js'
import { right, type TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { Log } from './log.js'
import { memoryCeiling } from './memory-ceiling.js'
import type { Settings } from './settings.js'
import { SettingsError } from './settings-error.js'

export type Storage = Readonly<{
  snippets: SnippetStore
  users: UserStore
  /** Health check: is the storage reachable? */
  check: TaskEither<unknown, void>
  /** Resolves once indexes and provisioned users exist, which never happens while the database is down. */
  prepared: Promise<void>
  close: () => Promise<void>
}>

export const openStorage = ({ storage, users, memoryLimitMb }: Settings, log: Log): Storage => {
  switch (storage.kind) {
    case 'memory':
      return {
        ...memoryStorage({ users, ceilingBytes: memoryCeiling(memoryLimitMb) }),
        check: right(undefined),
        prepared: Promise.resolve(),
        close: async () => {},
      }
    case 'mongo':
      return openMongo(storage.url, users, log)
  }
}

/** The driver validates the URL further. Its messages contain no password. */
const openMongo = (url: string, users: readonly User[], log: Log): Storage => {
  try {
    return openMongoStorage({ url, users, log })
  } catch (cause) {
    throw new SettingsError(`MONGODB_URL cannot be used: ${cause instanceof Error ? cause.message : cause}.`, { cause })
  }
}
