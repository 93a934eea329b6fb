import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type KeptOptions, type KeptStorage, openKeptStorage } from '@snippets/adapters-memory/kept/kept-storage.js'
import { dataDirectory } from '@snippets/apps/data-directory.js'
import { must } from './snippets.js'

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

const nothing = (): void => {}

/** Left is a sentence without its subject. */
export const tryKept = async (directory: string, options: Partial<KeptOptions> = {}) =>
  openKeptStorage({
    ...must(await dataDirectory(directory)),
    users: [],
    wait: ms => pause(ms, undefined, { ref: false }),
    onProgress: nothing,
    onFailure: nothing,
    onRecovery: nothing,
    ...options,
  })

export const openKept = async (directory: string, options: Partial<KeptOptions> = {}): Promise<KeptStorage> =>
  must(await tryKept(directory, options))
