import type { Document } from 'mongodb'
import { secret } from '../../contracts/storage/database-errors.js'

export const isWrite = (command: Document): boolean =>
  'insert' in command || 'delete' in command || (command.findAndModify === 'snippets' && 'update' in command)

/** Rejects each write of a snippet with this error code, and quotes the snippet as MongoDB does. */
export const rejectWrites =
  (code: number) =>
  (command: Document): Document | undefined =>
    isWrite(command) ? { ok: 0, code, errmsg: `not authorized to execute command { title: "${secret}" }` } : undefined
