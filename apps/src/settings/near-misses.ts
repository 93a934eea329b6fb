import { editDistance } from '@snippets/domain/did-you-mean.js'
import { type Environment, isSet } from './environment.js'

/** Names that look like ours, but that shells set. */
const setByShells = ['USER']

/** A setting that was misspelled would have no effect, and nobody would know. */
export const nearMisses = (environment: Environment, settings: readonly string[]): readonly string[] => {
  const unset = settings.filter(name => !isSet(environment, name))
  return foreignNames(environment, settings).flatMap(name => [...misspelled(name, unset), ...givenToNpm(name, unset)])
}

/** Where the right name is set too, the other one may belong to another program: no fault, but worth a warning. */
export const possibleTypos = (environment: Environment, settings: readonly string[]): readonly string[] => {
  const set = settings.filter(name => isSet(environment, name))
  return foreignNames(environment, settings).flatMap(name => misspelled(name, set))
}

const foreignNames = (environment: Environment, settings: readonly string[]): readonly string[] =>
  Object.keys(environment).filter(name => !settings.includes(name) && !setByShells.includes(name))

const misspelled = (name: string, settings: readonly string[]): readonly string[] => {
  const meant =
    settings.find(setting => isTypoOf(setting, name.toUpperCase())) ?? settingMissingAWord(name.toUpperCase(), settings)
  return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`]
}

/** Short names are close to many others, so there only one character may be wrong, or two be swapped. */
const isTypoOf = (setting: string, name: string): boolean => {
  // measuring the distance of every variable from every setting takes longer than all else that settings need
  if (Math.abs(setting.length - name.length) > 2 || foreignLetters(name, setting) > 2) return false
  const distance = editDistance(name, setting)
  if (distance <= (setting.length < 8 ? 1 : 2)) return true
  return (distance === 2 && lettersOf(name) === lettersOf(setting)) || wordsOf(name) === wordsOf(setting)
}

const foreignLetters = (name: string, setting: string): number =>
  [...name].filter(letter => !setting.includes(letter)).length

const lettersOf = (name: string): string => [...name].sort().join('')
const wordsOf = (name: string): string => name.split('_').sort().join('_')

/** `API_TOKENS` and `TOKENS_FILE` lack a word of one setting; `TIMEOUT_MS` lacks a word of several, and may be anybody's. */
const settingMissingAWord = (name: string, settings: readonly string[]): string | undefined => {
  const [whole, ...others] = settings.filter(setting => partsOf(setting).includes(name))
  return others.length === 0 ? whole : undefined
}

/** A name of three words or more without its first or its last one. */
const partsOf = (setting: string): readonly string[] => {
  const words = setting.split('_')
  return words.length < 3 ? [] : [words.slice(1).join('_'), words.slice(0, -1).join('_')]
}

/** npm takes `npm start --port 80` as its own and passes on `npm_config_port`. */
const givenToNpm = (name: string, settings: readonly string[]): readonly string[] => {
  const setting = settings.find(known => name === `npm_config_${known.toLowerCase()}`)
  return setting === undefined
    ? []
    : [`${setting} cannot be given as an option; set it before: ${setting}=... npm start`]
}
