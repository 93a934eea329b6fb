import { join } from 'node:path'
import { parseEnv } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { exitConfig, failStart } from '../operator-messages.js'
import { readSmallFile } from '../read-small-file.js'

export type Environment = Readonly<Record<string, string | undefined>>

/** Tells whether a variable has a value. An empty variable counts as unset. */
export const isSet = (environment: Environment, name: string): boolean => (environment[name] ?? '') !== ''

/** Reads `.env` in the working directory. A malformed or unreadable file ends the process. */
export const readEnvFile = (): Environment => {
  const file = join(process.cwd(), '.env')
  return pipe(
    readSmallFile(file),
    E.map(O.getOrElse(() => '')),
    E.chain(variablesOf),
    E.getOrElse((fault): Environment => failStart(exitConfig, `${file} ${fault}.`)),
  )
}

const variablesOf = (text: string): E.Either<string, Environment> => {
  // parseEnv joins a malformed line with the next and loses both
  const faulty = text.split(/\r?\n/).findIndex(line => !/^\s*(#.*|(export\s+)?\w+\s*=.*)?$/.test(line))
  return faulty >= 0 ? E.left(`cannot be used: line ${faulty + 1} is not NAME=value`) : E.right(parseEnv(text))
}
