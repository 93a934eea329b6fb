import { join } from 'node:path'
import { parseEnv } from 'node:util'
import * as O from 'fp-ts/lib/Option.js'
import { exitConfig, failStart, SettingsError } from '../operator-messages.js'
import { readSmallFile } from '../read-small-file.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** Tells whether a variable has a value. An empty variable counts as unset. */
export const isSet = (environment: Environment, name: string): boolean => (environment[name] ?? '') !== ''

/** Reads `.env` in the working directory. A malformed file ends the process. */
export const readEnvFile = (): Environment => {
  try {
    return variablesOf(join(process.cwd(), '.env'))
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return failStart(exitConfig, error.message)
  }
}

const variablesOf = (file: string): Environment => {
  const text = O.getOrElse(() => '')(readSmallFile(file))
  // parseEnv joins a malformed line with the next and loses both
  const faulty = text.split(/\r?\n/).findIndex(line => !/^\s*(#.*|(export\s+)?\w+\s*=.*)?$/.test(line))
  if (faulty >= 0) throw new SettingsError(`${file} cannot be used: line ${faulty + 1} is not NAME=value.`)
  return parseEnv(text)
}
