import { existsSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { getHeapStatistics } from 'node:v8'
import {
  createMemoryStorage,
  type MemoryOptions,
  type MemoryStorage,
} from '@snippets/adapters-memory/memory-storage.js'
import { tryRows } from '@snippets/domain/ports/row-store.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { bytesPerMiB, isPath } from '../settings/setting-parsers.js'
import type { StorageContext, StorageEntry } from './storage-entry.js'

/** The share of V8's old generation for snippets and keys. Requests, responses and garbage take the rest. */
const storedShare = 0.5
/** The largest size of V8's young generation, which stored snippets leave. */
const youngBytes = 220 * 1024 * 1024

const oldGenerationBytes = (): number => Math.max(getHeapStatistics().heap_size_limit - youngBytes, youngBytes / 4)

/** Loads the code that opens rows, becomes the owner of the directory, and returns the code and the path to open. */
const loadRowsAsOwner = (directory: string) => {
  // resolved before another directory opens, which may change the working directory
  const path = resolve(directory)
  return tryRows(async () => {
    // loaded before the switch, because the owner of the directory may not be able to read the code
    const rows = await import('@snippets/adapters-memory/leveldb/directory-rows.js')
    return { ...rows, path: becomeOwner(path) }
  })
}

/** Storage in memory, persistent with a data directory. */
export const memory: StorageEntry = {
  location: ({ DATA_DIR }) =>
    O.isSome(DATA_DIR)
      ? `memory and ${resolve(DATA_DIR.value)}`
      : 'memory, and lost when the service stops: set DATA_DIR to keep them',
  open: ({ DATA_DIR, MEMORY_LIMIT_MB, USERS: users }, context) => {
    const ceilingBytes = O.isSome(MEMORY_LIMIT_MB)
      ? MEMORY_LIMIT_MB.value * bytesPerMiB
      : Math.floor(oldGenerationBytes() * storedShare)
    const options = { users, ceilingBytes }
    const heapMiB = Math.floor(oldGenerationBytes() / bytesPerMiB)
    if (ceilingBytes > heapMiB * bytesPerMiB) {
      const fault = `MEMORY_LIMIT_MB is ${ceilingBytes / bytesPerMiB}, but the heap can hold ${heapMiB} MiB`
      context.log.warn({}, `${fault}: raise --max-old-space-size, or lower MEMORY_LIMIT_MB`)
    }
    return pipe(
      O.isSome(DATA_DIR)
        ? openDirectory(DATA_DIR.value, options, context)
        : TE.fromIO(() => createMemoryStorage(options)),
      TE.map(storage => {
        const { addGauge } = context.metrics
        addGauge('memory_storage_bytes', 'Estimated bytes of snippets and keys in memory', storage.heldBytes)
        addGauge('memory_storage_limit_bytes', 'Limit of memory_storage_bytes', () => ceilingBytes)
        return storage
      }),
    )
  },
  rowAccess: {
    addressKind: 'a directory as in DATA_DIR',
    isAddress: isPath,
    openSource: directory =>
      pipe(
        loadRowsAsOwner(directory),
        TE.chain(({ openDirectorySource, path }) => openDirectorySource(path)),
      ),
    openTarget: directory =>
      pipe(
        loadRowsAsOwner(directory),
        TE.chain(({ openDirectoryTarget, path }) => openDirectoryTarget(path)),
      ),
  },
}

/** Opens a data directory. Loads LevelDB, a native library, only when it is called. */
const openDirectory = (
  directory: string,
  options: MemoryOptions,
  { log, metrics }: StorageContext,
): TE.TaskEither<string, MemoryStorage> => {
  log.info({}, 'loading snippets from DATA_DIR')
  let failures = 0
  const help = 'Failed writes to DATA_DIR and failed attempts to reopen it'
  metrics.addCounter('data_directory_failures_total', help, () => failures)
  return pipe(
    tryRows(() => import('@snippets/adapters-memory/persistent-storage.js')),
    TE.chain(({ openPersistentStorage }) =>
      openPersistentStorage({
        ...options,
        directory,
        // a count of zero reveals a wrong or unmounted directory
        onLoad: snippets => log.info({ snippets }, 'loaded snippets from DATA_DIR'),
        onFailure: err => {
          failures++
          log.error({ err }, 'DATA_DIR fails: writes are rejected until it can be opened again, reads still work')
        },
        onRecovery: () => log.info({}, 'DATA_DIR works again: writes are accepted'),
      }),
    ),
    TE.mapLeft(({ fault }) => `DATA_DIR ${resolve(directory)}: ${fault}.`),
  )
}

/**
 * As root, switches to the owner of the directory for the rest of the process, because the owner could plant links to
 * files of root. A new directory gets the owner of its parent. Returns the path to open: after a switch a relative one,
 * because only root can use absolute paths below `/var/lib/private`.
 */
export const becomeOwner = (directory: string): string => {
  if (process.geteuid?.() !== 0) return directory
  const before = process.cwd()
  const folder = existsSync(directory) ? directory : dirname(directory)
  if (!existsSync(folder)) throw new Error('its parent does not exist')
  // a check of the path would not suffice: its owner could replace it afterwards
  process.chdir(folder)
  const { uid, gid } = statSync('.')
  if (uid === 0) {
    process.chdir(before)
    return directory
  }
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
  return folder === directory ? '.' : basename(directory)
}
