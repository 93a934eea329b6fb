import { distance } from 'fastest-levenshtein'
import { type Environment, isSet } from './environment.js'

/** Shells set `USER`, which resembles `USERS`. */
const setByShells = 'USER'

/** Returns a message for each name that resembles an unset setting, because a misspelled setting has no effect. */
export const findMisspellings = (
  environment: Environment,
  names: readonly string[],
  settings: readonly string[],
): readonly string[] => {
  const unset = settings.filter(name => !isSet(environment, name))
  const unknownNames = names.filter(name => !settings.includes(name) && name !== setByShells)
  return unknownNames.flatMap(name => [
    ...unset.filter(setting => isTypo(name.toUpperCase(), setting)).map(meant => notASetting(name, meant)),
    // npm takes `npm start --port 80` as its own option
    ...unset.filter(setting => name === `npm_config_${setting.toLowerCase()}`).map(notAnOption),
  ])
}

/** Compares two names. Short names may differ less, because they resemble many others. */
const isTypo = (name: string, setting: string): boolean => {
  if (isSwapped(name, setting)) return true
  const allowed = setting.length < 8 ? 1 : 2
  return Math.abs(name.length - setting.length) <= allowed && distance(name, setting) <= allowed
}

/** Tells whether two neighbouring letters are swapped. */
const isSwapped = (name: string, setting: string): boolean =>
  [...name].some((letter, i) => name.slice(0, i) + name.charAt(i + 1) + letter + name.slice(i + 2) === setting)

const notASetting = (name: string, meant: string): string => `${name} is not a setting; did you mean ${meant}?`

const notAnOption = (setting: string): string =>
  `${setting} is not an option of npm; use an environment variable: ${setting}=... npm start`
