import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'

export type Environment = Readonly<Record<string, string | undefined>>

/** The variables of the process, and below them those of `.env` in its folder. */
export const withEnvFile = (environment: Environment, folder: string): Environment => {
  const text = textOf(join(folder, '.env'))
  return text === undefined ? environment : { ...parseEnv(text), ...environment }
}

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
