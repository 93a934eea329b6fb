import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type KeptOptions, type KeptStorage, openKeptStorage } from '@snippets/adapters-memory/kept/kept-storage.js'
import { must } from '../snippets.js'

/** New, empty directories, which are removed after the tests of the describe block. */
export const directories = (): (() => Promise<string>) => {
  const made: string[] = []
  after(() => Promise.all(made.map(directory => rm(directory, { recursive: true, force: true }))))
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kept-'))
    made.push(directory)
    return directory
  }
}

/** Left is a sentence without its subject. */
export const tryKept = (directory: string, options: Partial<KeptOptions> = {}) =>
  openKeptStorage({ directory, users: [], onFailure: () => {}, onRecovery: () => {}, ...options })()

export const openKept = async (directory: string, options: Partial<KeptOptions> = {}): Promise<KeptStorage> =>
  must(await tryKept(directory, options))
