import { open, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { CloseMark } from '@snippets/adapters-memory/kept/row-file.js'
import { errorCode } from './error-code.js'

/** A file beside those of LevelDB, which leaves names alone that are not its own. */
export const closeMark = (location: string): CloseMark => {
  const name = join(location, 'closed')
  return {
    read: async () => {
      const text = await textOf(name)
      if (text === undefined) return 0
      return /^\d{1,15}\n$/.test(text) ? Number(text) : undefined
    },
    write: async groups => {
      const file = await open(`${name}.unfinished`, 'w', 0o600)
      try {
        await file.writeFile(`${groups}\n`)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${name}.unfinished`, name)
    },
  }
}

/** Undefined when there is no such file; empty when it cannot be read. */
const textOf = async (name: string): Promise<string | undefined> => {
  try {
    return await readFile(name, 'utf8')
  } catch (error) {
    return errorCode(error) === 'ENOENT' ? undefined : ''
  }
}
