import { distance } from 'fastest-levenshtein'
import { type Environment, isSet } from './environment.js'

/** Every shell sets it, and it is close to USERS. */
const setByShells = 'USER'

/** Finds names that are close to a setting. A misspelled setting would have no effect without an error. A setting that is set is not meant. */
export const findMisspellings = (
  environment: Environment,
  names: readonly string[],
  settings: readonly string[],
): readonly string[] => {
  const unset = settings.filter(name => !isSet(environment, name))
  const foreign = names.filter(name => !settings.includes(name) && name !== setByShells)
  return foreign.flatMap(name => [
    ...unset.filter(setting => isTypo(name.toUpperCase(), setting)).map(meant => notASetting(name, meant)),
    // npm takes `npm start --port 80` as its own option
    ...unset.filter(setting => name === `npm_config_${setting.toLowerCase()}`).map(notAnOption),
  ])
}

/** Short names are close to many others. */
const isTypo = (name: string, setting: string): boolean => {
  const allowed = setting.length < 8 ? 1 : 2
  return Math.abs(name.length - setting.length) <= allowed && distance(name, setting) <= allowed
}

const notASetting = (name: string, meant: string): string => `${name} is not a setting; did you mean ${meant}?`

const notAnOption = (setting: string): string =>
  `${setting} cannot be given as an option; set it before: ${setting}=... npm start`
