import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type KeptStorage, openKeptStorage } from '@snippets/adapters-memory/kept/kept-storage.js'
import type { User } from '@snippets/domain/user.js'
import * as E from 'fp-ts/lib/Either.js'
import { dataDirectory } from './data-directory.js'
import { hideCredentials } from './hide-credentials.js'
import type { Log } from './log.js'
import { SettingsError } from './settings/settings-error.js'

const progressEveryMs = 1000

type Options = Readonly<{ directory: string; users: readonly User[]; ceilingBytes: number }>

/** Memory storage that keeps its snippets in DATA_DIR. Rejects with a sentence for the operator when that cannot be used. */
export const openKept = async ({ directory, users, ceilingBytes }: Options, log: Log): Promise<KeptStorage> => {
  const found = await dataDirectory(directory)
  if (E.isLeft(found)) throw cannotUse(directory, found.left)
  const storage = await openKeptStorage({
    ...found.right,
    users,
    ceilingBytes,
    wait: ms => pause(ms, undefined, { ref: false }),
    onProgress: progressLog(log),
    onFailure: cause => log.error({ err: cause }, 'snippets cannot be kept: writes fail, reads go on'),
    onRecovery: () => log.info({}, 'snippets are kept again'),
  })
  if (E.isLeft(storage)) throw cannotUse(directory, storage.left)
  return storage.right
}

const cannotUse = (directory: string, why: string): SettingsError =>
  new SettingsError(`DATA_DIR cannot be used: ${hideCredentials(`${resolve(directory)} ${why}`)}.`)

/** A line a second, while there is much to read. */
const progressLog = (log: Log) => {
  let next = performance.now() + progressEveryMs
  return (read: number, total: number): void => {
    if (performance.now() < next) return
    next = performance.now() + progressEveryMs
    log.info({ read, total }, 'reading the snippets back')
  }
}
