import type { StorageName } from '../settings/storage-settings.js'
import { memory } from './memory.js'
import { mongo } from './mongo.js'
import type { StorageEntry } from './storage-entry.js'

/** Every storage, by its value of `STORAGE`. */
export const storages: Readonly<Record<StorageName, StorageEntry>> = { memory, mongo }
