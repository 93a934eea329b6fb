import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openPersistentStorage,
  type PersistentOptions,
  type PersistentStorage,
} from '@snippets/adapters-memory/leveldb/persistent-storage.js'
import { must } from '../snippets.js'

/** Makes empty directories, and removes them after the tests of the describe block. */
export const directories = (): (() => Promise<string>) => {
  const made: string[] = []
  after(() => Promise.all(made.map(directory => rm(directory, { recursive: true, force: true }))))
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kept-'))
    made.push(directory)
    return directory
  }
}

/** The left is a sentence without a subject. */
export const tryDirectory = (directory: string, options: Partial<PersistentOptions> = {}) =>
  openPersistentStorage({ directory, users: [], onFailure: () => {}, onRecovery: () => {}, ...options })()

export const openDirectory = async (
  directory: string,
  options: Partial<PersistentOptions> = {},
): Promise<PersistentStorage> => must(await tryDirectory(directory, options))
