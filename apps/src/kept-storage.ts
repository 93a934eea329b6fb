import { resolve } from 'node:path'
import { type KeptStorage, openKeptStorage } from '@snippets/adapters-memory/kept/kept-storage.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import { hideCredentials } from './hide-credentials.js'
import type { Log } from './log.js'
import { SettingsError } from './settings/settings-error.js'

const progressEveryMs = 1000

type Options = Readonly<{ directory: string; users: readonly User[]; ceilingBytes: number }>

/** Memory storage that keeps its snippets in DATA_DIR. Rejects with a sentence for the operator when that cannot be used. */
export const openKept = async (options: Options, log: Log): Promise<KeptStorage> => {
  const storage = await openKeptStorage({
    ...options,
    onProgress: progressLog(log),
    onFailure: cause => log.error({ err: cause }, 'snippets cannot be kept: writes fail until a restart, reads go on'),
  })()
  if (E.isRight(storage)) return storage.right
  const sentence = hideCredentials(`${resolve(options.directory)} ${storage.left}`)
  throw new SettingsError(`DATA_DIR cannot be used: ${sentence}.`)
}

/** A line a second, while there is much to read. */
const progressLog = (log: Log) => {
  let next = performance.now() + progressEveryMs
  return (read: number, total: number): void => {
    if (performance.now() < next) return
    next = performance.now() + progressEveryMs
    log.info({ read, total }, 'reading the snippets back')
  }
}
