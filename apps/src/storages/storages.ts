import { keys } from 'fp-ts/lib/Record.js'
import { memory } from './memory.js'
import { mongo } from './mongo.js'

/** Every storage, by its value of `STORAGE`. */
export const storages = { memory, mongo }

export const storageSettings = { ...memory.settings, ...mongo.settings }

export type StorageName = keyof typeof storages

export const storageNames: readonly StorageName[] = keys(storages)
