import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RE from 'fp-ts/lib/ReaderEither.js'
import * as R from 'fp-ts/lib/Record.js'
import {
  type Environment,
  oneOf,
  optional,
  path,
  type SettingReader,
  setting,
  usernames,
  type ValuesOf,
  wholeNumber,
} from './setting-parsers.js'

export const storageNames = ['memory', 'mongo'] as const

export type StorageName = (typeof storageNames)[number]

/** The readers of the settings that not every storage uses. */
const specificReaders = {
  DATA_DIR: setting('DATA_DIR', '', optional(path)),
  MEMORY_LIMIT_MB: setting('MEMORY_LIMIT_MB', '', optional(wholeNumber(1, 1_000_000))),
  MONGODB_URL: setting('MONGODB_URL', '', optional(E.right)),
  USERS: setting('USERS', '', usernames),
}

type SpecificSetting = keyof typeof specificReaders

/** The settings that each storage uses. The others have no effect on it. */
const usedSettings: Readonly<Record<StorageName, Readonly<Partial<Record<SpecificSetting, 'required' | 'optional'>>>>> =
  {
    memory: { DATA_DIR: 'optional', MEMORY_LIMIT_MB: 'optional', USERS: 'optional' },
    mongo: { MONGODB_URL: 'required', USERS: 'optional' },
  }

const specificNames = R.keys(specificReaders)

/** Rejects a storage whose required settings are not set. */
const withRequiredSettings =
  (storage: StorageName): SettingReader<StorageName> =>
  environment => {
    const missing = specificNames.filter(name => usedSettings[storage][name] === 'required' && !environment[name])
    return missing.length === 0
      ? E.right(storage)
      : E.left(missing.map(name => `${name} is not set; STORAGE=${storage} requires it`))
  }

export const storageSettingReaders = {
  STORAGE: pipe(setting('STORAGE', 'memory', oneOf(storageNames)), RE.chain(withRequiredSettings)),
  ...specificReaders,
}

export type StorageSettings = ValuesOf<typeof storageSettingReaders>

/** Returns the names of the settings that are set and have no effect on a storage. */
export const ignoredSettings = (storage: StorageName, environment: Environment): readonly string[] =>
  specificNames.filter(name => usedSettings[storage][name] === undefined && environment[name])
