import { readFileSync, statSync } from 'node:fs'
import { SettingsError } from './operator.js'

const maxBytes = 1024 * 1024

/** The text of a file, undefined when there is none. Reading a pipe or a device could take for ever, so only a file is read. */
export const readSmallFile = (path: string): string | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isFile()) throw new SettingsError(`${path} cannot be used: it is not a regular file.`)
  if (stats.size > maxBytes) throw new SettingsError(`${path} cannot be used: it is larger than ${maxBytes} bytes.`)
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
}
