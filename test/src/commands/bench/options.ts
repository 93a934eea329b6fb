import { parseArgs } from 'node:util'
import { type Either, left, right } from 'fp-ts/lib/Either.js'

export type Options = Readonly<{
  /** Names of rows and of servers to measure. */
  rows: readonly string[]
  only: readonly string[]
  /** Measured after a longer one that is discarded. Many short ones, as other work on the machine disturbs a few of them. */
  rounds: number
  /** Of each measurement. Undefined: each row's own number. */
  requests: number | undefined
  /** How many snippets each server holds. */
  snippets: number
  /** Replaces the chart and the tables in docs. */
  write: boolean
}>

export const usage =
  'Usage: npm run bench -- [--rows detail,page] [--only snippets,fastify] [--rounds 12] [--requests 5000] [--snippets 10000] [--write]'

const options = {
  rows: { type: 'string', default: '' },
  only: { type: 'string', default: '' },
  rounds: { type: 'string', default: '12' },
  requests: { type: 'string' },
  snippets: { type: 'string', default: '10000' },
  write: { type: 'boolean', default: false },
} as const

type Known = Readonly<{
  rows: readonly string[]
  servers: readonly string[]
  /** Measured unless `--only` names others. */
  usualServers: readonly string[]
}>

/** Left is a sentence that says what is wrong with the arguments. */
export const readOptions = (args: readonly string[], known: Known): Either<string, Options> => {
  try {
    const { values } = parseArgs({ args: [...args], options })
    const rows = named(values.rows, known.rows)
    const only = named(values.only, known.usualServers)
    const unknownRow = rows.find(name => !known.rows.includes(name))
    if (unknownRow !== undefined) return left(`There is no row ${unknownRow}, only ${known.rows.join(', ')}.`)
    const unknownServer = only.find(name => !known.servers.includes(name))
    if (unknownServer !== undefined)
      return left(`There is no server ${unknownServer}, only ${known.servers.join(', ')}.`)
    const numbers = { rounds: Number(values.rounds), snippets: Number(values.snippets) }
    const requests = values.requests === undefined ? undefined : Number(values.requests)
    for (const [name, value] of Object.entries({ ...numbers, requests: requests ?? 1 }))
      if (!Number.isInteger(value) || value < 1) return left(`--${name} must be a whole number above 0.`)
    return right({ ...numbers, requests, rows, only, write: values.write })
  } catch (error) {
    return left(error instanceof Error ? error.message : String(error))
  }
}

const named = (text: string, all: readonly string[]): readonly string[] => {
  const names = text.split(',').filter(Boolean)
  return names.length === 0 ? all : names
}
