import { appendFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { makeToken, scopes, type Token } from '@snippets/adapters-http/middleware/token.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { codeOf, readText } from '../read-text.js'
import { parseTokens, tokenLine } from './token-file.js'

const usage = `Usage: npm run token -- --name NAME --scope ${scopes.join('|')}
NAME has 1 to 64 letters, digits, dots, hyphens or underscores.`

type TokenOptions = Pick<Token, 'name' | 'scope'>

/** Reads the arguments. They are valid if a line of the file can hold them. Left is the usage. */
export const readTokenOptions = (args: readonly string[]): E.Either<string, TokenOptions> => {
  try {
    const options = { name: { type: 'string' }, scope: { type: 'string' } } as const
    const { name = '', scope = '' } = parseArgs({ args: [...args], options }).values
    const tokens = E.getOrElse((): readonly Token[] => [])(parseTokens(tokenLine(name, scope, '')))
    return E.fromNullable(usage)(tokens.find(token => token.name === name))
  } catch {
    return E.left(usage)
  }
}

/** Creates a token, appends its hash to the file, and returns the token. Left is a message for the operator. */
export const addToken = ({ name, scope }: TokenOptions, file = ''): E.Either<string, string> => {
  if (file === '') return E.left('Set API_TOKENS_FILE to the file that the service reads its tokens from.')
  const token = makeToken()
  return pipe(
    readText(file),
    E.orElse(code => (code === 'ENOENT' ? E.right('') : E.left(`it cannot be read (${code})`))),
    E.chain(text => {
      const separator = text === '' || text.endsWith('\n') ? '' : '\n'
      const added = separator + tokenLine(name, scope, token)
      return pipe(
        parseTokens(text),
        E.filterOrElse(
          tokens => tokens.every(known => known.name !== name),
          () => `it already has a token ${name}; nothing was added`,
        ),
        E.chain(() =>
          E.tryCatch(
            () => appendFileSync(file, added, { mode: 0o600 }),
            error => `it cannot be written (${codeOf(error) ?? error})`,
          ),
        ),
      )
    }),
    E.bimap(
      fault => `API_TOKENS_FILE cannot be used: ${fault}.`,
      () => token,
    ),
  )
}
