import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RE from 'fp-ts/lib/ReaderEither.js'
import * as R from 'fp-ts/lib/Record.js'
import {
  type Environment,
  oneOf,
  optional,
  path,
  type Setting,
  setting,
  usernames,
  type ValuesOf,
  wholeNumber,
} from './setting-parsers.js'

export const storageNames = ['memory', 'mongo'] as const

export type StorageName = (typeof storageNames)[number]

/** The settings that not every storage uses. */
const specificSettings = {
  DATA_DIR: setting('DATA_DIR', '', optional(path)),
  MEMORY_LIMIT_MB: setting('MEMORY_LIMIT_MB', '', optional(wholeNumber(1, 1_000_000))),
  MONGODB_URL: setting('MONGODB_URL', '', optional(E.right)),
  USERS: setting('USERS', '', usernames),
}

type SpecificSetting = keyof typeof specificSettings

/** The settings that each storage uses. The others have no effect on it. */
const usedSettings: Readonly<Record<StorageName, Readonly<Partial<Record<SpecificSetting, 'required' | 'optional'>>>>> =
  {
    memory: { DATA_DIR: 'optional', MEMORY_LIMIT_MB: 'optional', USERS: 'optional' },
    mongo: { MONGODB_URL: 'required', USERS: 'optional' },
  }

const specificNames = R.keys(specificSettings)

/** Rejects a storage whose required settings are not set. */
const withRequiredSettings =
  (storage: StorageName): Setting<StorageName> =>
  environment => {
    const missing = specificNames.filter(name => usedSettings[storage][name] === 'required' && !environment[name])
    return missing.length === 0
      ? E.right(storage)
      : E.left(missing.map(name => `${name} is not set; STORAGE=${storage} requires it`))
  }

/** The readers of the settings of storages. */
export const storageSettings = {
  STORAGE: pipe(setting('STORAGE', 'memory', oneOf(storageNames)), RE.chain(withRequiredSettings)),
  ...specificSettings,
}

export type StorageSettings = ValuesOf<typeof storageSettings>

/** Returns the names of the settings that are set and have no effect on a storage. */
export const ignoredSettings = (storage: StorageName, environment: Environment): readonly string[] =>
  specificNames.filter(name => usedSettings[storage][name] === undefined && environment[name])
