import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { readTextFileIfAny } from '../text-file.js'
import type { Environment } from './setting-parsers.js'
import { settingNames } from './settings.js'

/** Returns the variables of the process and of `.env` in the working directory. Left is a message for the operator. */
export const readEnvironment = (): E.Either<string, Environment> => {
  const file = join(process.cwd(), '.env')
  return pipe(
    readTextFileIfAny(file),
    E.mapLeft(fault => [fault]),
    E.chain(parseEnvFile),
    E.bimap(
      faults => [`${file} cannot be used:`, ...faults].join('\n  '),
      variables => ({ ...variables, ...process.env }),
    ),
  )
}

/** A comment, or a name with a value in quotes of one kind, or with a value that has no quote and no `#`. */
const linePattern =
  /^\s*(?:#.*|(?:export\s+)?(\w+)\s*=\s*(?:"([^"]*)"|'([^']*)'|`([^`]*)`|([^\s"'`#](?:[^"'`#]*[^\s"'`#])?))?(?:\s+#.*)?\s*)?$/

/**
 * Parses each line by itself. Node's parser would continue a value without its closing quote on the next lines and lose
 * their settings. Left holds every fault: an ignored line could open the service to everyone.
 */
export const parseEnvFile = (text: string): E.Either<readonly string[], Environment> => {
  const matches = text.split(/\r\n?|\n/).map(line => linePattern.exec(line))
  const names = matches.map(match => match?.[1])
  const faults = matches.flatMap((match, index) => {
    const fault = match === null ? notAssignment : faultOfName(names, index)
    return fault === '' ? [] : [`line ${index + 1} ${fault}`]
  })
  if (faults.length > 0) return E.left(faults)
  const values = matches.map(match => match?.slice(2).find(value => value !== undefined) ?? '')
  return E.right(Object.fromEntries(names.flatMap((name, index) => (name ? [[name, values[index]]] : []))))
}

const notAssignment =
  'is not NAME=value with matching quotes; enclose a value with # or a quote in quotes of another kind'

const faultOfName = (names: readonly (string | undefined)[], index: number): string => {
  const name = names[index]
  // Docker Compose reads its own variables from the same file
  if (name === undefined || name.startsWith('COMPOSE_')) return ''
  if (!settingNames.includes(name)) return `sets ${name}, which is not a setting`
  return names.indexOf(name) < index ? `sets ${name} again` : ''
}
