import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { newToken, type Scope, scopes } from '@snippets/adapters-http/access/token.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { errorCode } from '../error-code.js'
import { hideCredentials, SettingsError } from '../operator-messages.js'
import { readSmallFile } from '../read-small-file.js'
import { isTokenName, parseTokens, tokenLine } from './token-list.js'

const usage = 'Usage: npm run token -- --name NAME --scope read|write'

export type TokenOptions = Readonly<{ name: string; scope: Scope }>

/** Reads the arguments. Left is a message for the operator. */
export const readTokenOptions = (args: readonly string[]): E.Either<string, TokenOptions> => {
  try {
    const options = { name: { type: 'string' }, scope: { type: 'string' } } as const
    const { name = '', scope: asked } = parseArgs({ args: [...args], options }).values
    const scope = scopes.find(known => known === asked)
    if (scope === undefined) return E.left(usage)
    return isTokenName(name)
      ? E.right({ name, scope })
      : E.left(`A name has 1 to 64 letters, digits, dots, hyphens or underscores. ${usage}`)
  } catch {
    return E.left(usage)
  }
}

/** Creates a token, appends its hash to the file, and returns the token. Left is a message for the operator. */
export const addToken = (request: TokenOptions, file = ''): E.Either<string, string> => {
  if (file === '') return E.left('Set API_TOKENS_FILE to the file that the service reads its tokens from.')
  try {
    const text = O.getOrElse(() => '')(readSmallFile(file))
    const fault = faultIn(text, request)
    return fault === undefined ? E.right(append(file, text, request)) : E.left(`${hideCredentials(file)} ${fault}.`)
  } catch (error) {
    return E.left(hideCredentials(messageOf(error, file)))
  }
}

/** Returns the reason why the file cannot take a token of this name. */
const faultIn = (text: string, { name }: TokenOptions): string | undefined => {
  const tokens = parseTokens(text)
  if (E.isLeft(tokens)) return tokens.left.join('; it ')
  return tokens.right.some(token => token.name === name) ? `already has a token named ${name}` : undefined
}

const append = (file: string, text: string, { name, scope }: TokenOptions): string => {
  const token = newToken()
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  appendFileSync(file, separator + tokenLine(name, scope, token), { mode: 0o600 })
  return token
}

const messageOf = (error: unknown, file: string): string => {
  if (error instanceof SettingsError) return error.message
  const code = errorCode(error)
  return code === 'ENOENT'
    ? `${file} cannot be created: its directory does not exist.`
    : `${file} cannot be read and written (${code ?? error}).`
}
