import type { Dirent } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { RowFileOptions } from '@snippets/adapters-memory/kept/row-file.js'
import * as E from 'fp-ts/lib/Either.js'
import { closeMark } from './close-mark.js'
import { errorCode } from './error-code.js'

/** Left is a sentence without its subject, the name of the directory. */
export const dataDirectory = async (path: string, mayCreate = true): Promise<E.Either<string, RowFileOptions>> => {
  // of its own: LevelDB deletes files that look like its own, and a mounted disk has a `lost+found`
  const location = join(resolve(path), 'snippets')
  try {
    if (!mayCreate && !(await exists(location))) return E.left('is not a data directory: it has no folder snippets')
    const entries = await entriesOf(location)
    const odd = entries.find(isOdd)
    if (odd !== undefined) return E.left(`holds snippets/${odd.name}, which is not a file. Remove that`)
    const create = mayCreate && !entries.some(isData)
    if (create) {
      const misnamed = await namesAnother(location)
      if (misnamed !== undefined) return E.left(misnamed)
      await makeDirectory(resolve(path))
      await makeDirectory(location)
    }
    return E.right({ location, create, mark: closeMark(location) })
  } catch (error) {
    return E.left(sentenceOf(error))
  }
}

/** Does not make parents: Node's own way to do so never ends in /proc, and a mistyped path would go unnoticed. */
const makeDirectory = async (path: string): Promise<void> => {
  if (await exists(path)) return
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // another process may have made it meanwhile, and is told from this one by LevelDB's lock
    if (errorCode(error) !== 'EEXIST' || !(await exists(path))) throw error
  }
}

const exists = async (path: string): Promise<boolean> => {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false
    throw error
  }
}

/** None where there is no such folder. */
const entriesOf = async (folder: string): Promise<readonly Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Reading a pipe or a device could take for ever. */
const isOdd = (entry: Dirent): boolean => !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink()

/** LevelDB makes its first log last, so a start that was interrupted before that has lost nothing. */
const isData = ({ name }: Dirent): boolean => /\.(log|ldb|sst)$/.test(name)

/** A new store beside or inside another one would look as if all snippets were gone. */
const namesAnother = async (location: string): Promise<string | undefined> => {
  const above = dirname(location)
  if (basename(above) === 'snippets' && (await isStore(above)))
    return `is the inside of the data directory ${dirname(above)}. Name that`
  return (await isStore(join(location, 'snippets'))) ? `has the data directory ${location} in it. Name that` : undefined
}

const isStore = async (folder: string): Promise<boolean> => {
  const entries = await entriesOf(folder).catch(() => [])
  return entries.some(isData) && entries.some(({ name }) => name === 'CURRENT')
}

const sentenceOf = (error: unknown): string => {
  const code = errorCode(error)
  switch (code) {
    case 'ENOENT':
      return 'cannot be made (ENOENT). Make the directory above it first, or name another one'
    case 'ENOTDIR':
    case 'EEXIST':
      return 'is not a directory. Name another one'
    case 'ELOOP':
      return 'is a loop of symbolic links. Name another one'
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `cannot be written (${code}). Give the user of this process the E.right to write there`
    case 'ENOSPC':
      return 'is on a disk that is full. Make room there'
    default:
      return `cannot be used (${code ?? error})`
  }
}
