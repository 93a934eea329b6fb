import * as R from 'fp-ts/lib/Record.js'
import type { Environment } from '../setting-parsers.js'
import { memory } from './memory.js'
import { mongo } from './mongo.js'
import { storageSettings } from './storage-settings.js'

/** Every storage, by its value of `STORAGE`. */
export const storages = { memory, mongo }

export type StorageName = keyof typeof storages

export const storageNames = R.keys(storages)

const namesOfSettings = R.keys(storageSettings)

/** Returns the names of the settings that a storage requires and that are not set. */
export const missingSettings = (storage: StorageName, environment: Environment): readonly string[] =>
  namesOfSettings.filter(name => storages[storage].settings[name] === 'required' && !environment[name])

/** Returns the names of the settings that are set and have no effect on a storage. */
export const ignoredSettings = (storage: StorageName, environment: Environment): readonly string[] =>
  namesOfSettings.filter(name => storages[storage].settings[name] === undefined && environment[name])
