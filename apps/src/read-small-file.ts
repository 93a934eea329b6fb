import { readFileSync, statSync } from 'node:fs'
import * as O from 'fp-ts/lib/Option.js'
import { SettingsError } from './operator-messages.js'

const maxBytes = 1024 * 1024

/** Reads a file. Returns None if it does not exist. Throws if it is large or not a regular file, because reading a pipe or a device could block forever. */
export const readSmallFile = (path: string): O.Option<string> => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return O.none
  if (!stats.isFile()) throw new SettingsError(`${path} cannot be used: it is not a regular file.`)
  if (stats.size > maxBytes) throw new SettingsError(`${path} cannot be used: it is larger than ${maxBytes} bytes.`)
  return O.some(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''))
}
