import { parseArgs } from 'node:util'
import { type Either, left, right } from 'fp-ts/lib/Either.js'

export type Options = Readonly<{
  /** How long the mixed load runs. No other scenario takes much longer. */
  minutes: number
  /** Connections of the attack with raw bytes, and the seed of the first. */
  cases: number
  seed: number
  /** Times that the service is stopped under load. */
  cycles: number
  /** Names of scenarios; empty means all. */
  only: readonly string[]
}>

export const usage =
  'Usage: npm run soak -- [--minutes 2] [--only pipelining,mixed] [--cases 5000] [--seed 1] [--cycles 10]'

const options = {
  minutes: { type: 'string', default: '2' },
  only: { type: 'string', default: '' },
  cases: { type: 'string', default: '5000' },
  seed: { type: 'string', default: '1' },
  cycles: { type: 'string', default: '10' },
} as const

/** Left is a sentence that says what is wrong with the arguments. */
export const readOptions = (args: readonly string[], scenarios: readonly string[]): Either<string, Options> => {
  try {
    const { minutes, cases, seed, cycles, only } = parseArgs({ args: [...args], options }).values
    const names = only.split(',').filter(Boolean)
    const unknown = names.find(name => !scenarios.includes(name))
    if (unknown !== undefined) return left(`There is no scenario ${unknown}, only ${scenarios.join(', ')}.`)
    const numbers = { minutes: Number(minutes), cases: Number(cases), seed: Number(seed), cycles: Number(cycles) }
    for (const [name, value] of Object.entries(numbers)) {
      if (!(value > 0)) return left(`--${name} must be a number above 0.`)
      if (name !== 'minutes' && !Number.isInteger(value)) return left(`--${name} must be a whole number.`)
    }
    return right({ ...numbers, only: names })
  } catch (error) {
    return left(error instanceof Error ? error.message : String(error))
  }
}
