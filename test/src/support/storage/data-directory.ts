import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { mock } from 'node:test'
import type { MemoryStorage } from '@snippets/adapters-memory/memory-storage.js'
import { openPersistentStorage, type PersistentOptions } from '@snippets/adapters-memory/persistent-storage.js'
import { linesOf } from '@snippets/apps/transfer/ndjson.js'
import { rowFailure } from '@snippets/domain/ports/row-store.js'
import type { Storage } from '@snippets/domain/ports/storage.js'
import { ClassicLevel } from 'classic-level'
import { left } from 'fp-ts/lib/TaskEither.js'
import type { KillHarness } from '../../contracts/storage/kill-contract.js'
import { must } from '../snippets.js'

/** Creates empty directories, and removes them after the tests of the describe block. */
export const directories = (): (() => Promise<string>) => {
  const made: string[] = []
  after(() => Promise.all(made.map(directory => rm(directory, { recursive: true, force: true }))))
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kept-'))
    made.push(directory)
    return directory
  }
}

/** Opens a storage. An error message lacks its subject, the directory. */
export const tryDirectory = (directory: string, options: Partial<PersistentOptions> = {}) =>
  openPersistentStorage({
    directory,
    users: [],
    onLoad: () => {},
    onFailure: () => {},
    onRecovery: () => {},
    ...options,
  })()

export const openDirectory = async (
  directory: string,
  options: Partial<PersistentOptions> = {},
): Promise<MemoryStorage> => must(await tryDirectory(directory, options))

/** Returns the text of a backup. */
export const backupOf = ({ snapshot = left(rowFailure('there is no snapshot')) }: Pick<Storage, 'snapshot'>) =>
  text(linesOf(snapshot))

/** Replaces the batch writes of LevelDB, which then closes after the writes in progress, until `mock.reset()`. */
export const onBatch = (work: (write: () => Promise<void>) => Promise<void>): void => {
  const { batch, close } = ClassicLevel.prototype
  const pending = new Set<Promise<void>>()
  mock.method(ClassicLevel.prototype, 'batch', function (this: ClassicLevel, ...args: Parameters<typeof batch>) {
    const written = work(async () => void (await Reflect.apply(batch, this, args)))
    pending.add(written)
    return written
  })
  mock.method(ClassicLevel.prototype, 'close', async function (this: ClassicLevel) {
    await Promise.allSettled(pending)
    return close.call(this)
  })
}

/** LevelDB runs in the process of the service, so a kill ends both. */
export const directoryKills = (nodeOptions = ''): KillHarness => ({
  processes: 1,
  create: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'killed-'))
    return {
      environment: { DATA_DIR: directory, NODE_OPTIONS: nodeOptions },
      open: () => openDirectory(directory),
      remove: () => rm(directory, { recursive: true }),
    }
  },
})
