import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readSmallFile } from './read-small-file.js'
import { SettingsError, wrongSettings } from './settings-error.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** The variables of this process, and below them those of `.env`. A faulty file ends the process. */
export const processEnvironment = (): Environment => {
  try {
    return withEnvFile(process.env, process.cwd())
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(wrongSettings)
  }
}

/** The variables of the process, and below them those of `.env` in its folder. */
const withEnvFile = (environment: Environment, folder: string): Environment => {
  const file = join(folder, '.env')
  const text = readSmallFile(file)
  if (text === undefined) return environment
  // Node would join a line that it does not understand with the next one, and so lose that
  const faulty = text.split(/\r?\n/).findIndex(line => !/^\s*(#.*|(export\s+)?\w+\s*=.*)?$/.test(line))
  if (faulty >= 0) throw new SettingsError(`${file} cannot be used: line ${faulty + 1} is not NAME=value.`)
  return { ...parseEnv(text), ...environment }
}
