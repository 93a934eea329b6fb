import { editDistance } from '@snippets/domain/did-you-mean.js'
import type { Environment } from './environment.js'

/** Names that look like ours, but that shells set. */
const legitimate = ['USER']

/** A setting that was misspelled would have no effect, and nobody would know. */
export const nearMisses = (environment: Environment, settings: readonly string[]): readonly string[] => {
  const unset = settings.filter(name => (environment[name] ?? '') === '')
  return Object.keys(environment)
    .filter(name => !settings.includes(name) && !legitimate.includes(name))
    .flatMap(name => [...misspelled(name, unset), ...givenToNpm(name, unset)])
}

const misspelled = (name: string, settings: readonly string[]): readonly string[] => {
  const meant = settings.find(setting => isTypoOf(setting, name.toUpperCase()))
  return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`]
}

/** Short names are close to many others, so there only one character may be wrong, or two be swapped. */
const isTypoOf = (setting: string, name: string): boolean => {
  const distance = editDistance(name, setting)
  return distance <= (setting.length < 8 ? 1 : 2) || (distance === 2 && lettersOf(name) === lettersOf(setting))
}

const lettersOf = (name: string): string => [...name].sort().join('')

/** npm takes `npm start --port 80` as its own and passes on `npm_config_port`. */
const givenToNpm = (name: string, settings: readonly string[]): readonly string[] => {
  const setting = settings.find(known => name === `npm_config_${known.toLowerCase()}`)
  return setting === undefined
    ? []
    : [`${setting} cannot be given as an option; set it before: ${setting}=... npm start`]
}
