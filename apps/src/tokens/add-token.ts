import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { newToken, type Scope, scopes } from '@snippets/adapters-http/access/token.js'
import { codeOf } from '@snippets/domain/values/error.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { hideCredentials } from '../operator-messages.js'
import { readText } from '../read-text.js'
import { isTokenName, parseTokens, tokenLine } from './token-list.js'

const usage = 'Usage: npm run token -- --name NAME --scope read|write'

type TokenOptions = Readonly<{ name: string; scope: Scope }>

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
  return pipe(
    readText(file),
    E.orElse(code => (code === 'ENOENT' ? E.right('') : E.left(`cannot be read (${code})`))),
    E.chainFirst(text => checkName(text, request)),
    E.chain(text => append(file, text, request)),
    E.mapLeft(fault => `${hideCredentials(file)} ${fault}.`),
  )
}

/** Checks whether the file can take a token of this name. Left is a sentence without its subject. */
const checkName = (text: string, { name }: TokenOptions): E.Either<string, unknown> =>
  pipe(
    parseTokens(text),
    E.mapLeft(faults => faults.join('; it ')),
    E.filterOrElse(
      tokens => tokens.every(token => token.name !== name),
      () => `already has a token named ${name}`,
    ),
  )

const append = (file: string, text: string, { name, scope }: TokenOptions): E.Either<string, string> => {
  const token = newToken()
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  try {
    appendFileSync(file, separator + tokenLine(name, scope, token), { mode: 0o600 })
    return E.right(token)
  } catch (error) {
    return E.left(`cannot be written (${codeOf(error) ?? error})`)
  }
}
