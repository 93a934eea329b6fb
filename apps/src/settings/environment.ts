import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { giveUp, SettingsError, wrongSettings } from '../operator.js'
import { readSmallFile } from '../read-small-file.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable without a value counts as not set. */
export const isSet = (environment: Environment, name: string): boolean => (environment[name] ?? '') !== ''

/** Variables of the process take precedence over those of `.env`. A faulty file ends the process. */
export const processEnvironment = (): Environment => {
  try {
    return withEnvFile(process.env, process.cwd())
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return giveUp(wrongSettings, error.message)
  }
}

const withEnvFile = (environment: Environment, folder: string): Environment => {
  const file = join(folder, '.env')
  const text = readSmallFile(file)
  if (text === undefined) return environment
  // parseEnv joins a malformed line with the next and loses both
  const faulty = text.split(/\r?\n/).findIndex(line => !/^\s*(#.*|(export\s+)?\w+\s*=.*)?$/.test(line))
  if (faulty >= 0) throw new SettingsError(`${file} cannot be used: line ${faulty + 1} is not NAME=value.`)
  return { ...parseEnv(text), ...environment }
}
