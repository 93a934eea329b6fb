import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { scopes, type Token } from '@snippets/adapters-http/middleware/tokens.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { appendToFile, readSmallTextFile } from '../text-file.js'
import { makeTokenLine, parseTokens } from './token-file.js'

const fileAdvice = 'Set API_TOKENS_FILE to the file that the service reads its tokens from.'

const usage = `Usage: npm run token -- --name NAME --scope ${scopes.join('|')}
NAME has 1 to 64 letters, digits, dots, hyphens or underscores.
${fileAdvice}`

type TokenOptions = Pick<Token, 'name' | 'scope'>

/** Reads the arguments. They are valid if a line of the file can hold them. Left is the usage. */
export const readTokenOptions = (args: readonly string[]): E.Either<string, TokenOptions> => {
  try {
    const options = { name: { type: 'string' }, scope: { type: 'string' } } as const
    const { name = '', scope = '' } = parseArgs({ args: [...args], options }).values
    const tokens = E.getOrElse((): readonly Token[] => [])(parseTokens(makeTokenLine(name, scope, '')))
    return E.fromNullable(usage)(tokens[0])
  } catch {
    return E.left(usage)
  }
}

/** Returns a token with a prefix by which secret scanners recognise it. */
const makeToken = (): string => `snippets_${randomBytes(32).toString('base64url')}`

/** Creates a token, appends its hash to the file, and returns the token. Left is a message for the operator. */
export const addToken = ({ name, scope }: TokenOptions, file = ''): E.Either<string, string> => {
  if (file === '') return E.left(fileAdvice)
  const token = makeToken()
  return pipe(
    existsSync(file) ? readSmallTextFile(file) : E.right(''),
    E.chainFirst(text =>
      pipe(
        parseTokens(text),
        E.filterOrElse(
          tokens => tokens.every(known => known.name !== name),
          () => `it already has a token ${name}; nothing was added`,
        ),
      ),
    ),
    // the last line may lack its newline
    E.chain(text => appendToFile(file, (/[^\n]$/.test(text) ? '\n' : '') + makeTokenLine(name, scope, token))),
    E.bimap(
      fault => `API_TOKENS_FILE: ${fault}.`,
      () => token,
    ),
  )
}
