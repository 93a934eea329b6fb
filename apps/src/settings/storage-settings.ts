import * as E from 'fp-ts/lib/Either.js'
import { optional, path, setting, usernames, type ValuesOf, wholeNumber } from '../setting-parsers.js'

/** The readers of the settings of storages. */
export const storageSettings = {
  DATA_DIR: setting('DATA_DIR', '', optional(path)),
  MEMORY_LIMIT_MB: setting('MEMORY_LIMIT_MB', '', optional(wholeNumber(1, 1_000_000))),
  MONGODB_URL: setting('MONGODB_URL', '', optional(E.right)),
  USERS: setting('USERS', '', usernames),
}

export type StorageSettings = ValuesOf<typeof storageSettings>
