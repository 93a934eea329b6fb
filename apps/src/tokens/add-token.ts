import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { newToken, type Scope, scopes } from '@snippets/adapters-http/doors/token.js'
import { isTokenName, parseTokens, tokenLine } from '@snippets/adapters-http/doors/token-list.js'
import { type Either, isLeft, left, map, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

const usage = 'Usage: npm run token -- --name NAME --scope read|write'

type Request = Readonly<{ name: string; scope: Scope }>

/** Makes a token, appends its hash to the file, and returns the token. Left is a sentence for the operator. */
export const addToken = (args: readonly string[], file: string | undefined): Either<string, string> => {
  const request = readArguments(args)
  if (isLeft(request)) return request
  if (file === undefined || file === '')
    return left('Set API_TOKENS_FILE to the file that the service reads its tokens from.')
  return pipe(
    textOf(file, request.right.name),
    map(text => append(file, text, request.right)),
  )
}

const readArguments = (args: readonly string[]): Either<string, Request> => {
  try {
    const options = { name: { type: 'string' }, scope: { type: 'string' } } as const
    const { name = '', scope: asked } = parseArgs({ args: [...args], options }).values
    const scope = scopes.find(known => known === asked)
    if (scope === undefined) return left(usage)
    return isTokenName(name)
      ? right({ name, scope })
      : left(`A name has 1 to 64 letters, digits, dots, hyphens or underscores. ${usage}`)
  } catch {
    return left(usage)
  }
}

/** What the file holds so far. */
const textOf = (file: string, name: string): Either<string, string> => {
  if (!existsSync(file)) return right('')
  const text = readFileSync(file, 'utf8')
  const tokens = parseTokens(text)
  if (isLeft(tokens)) return text.trim() === '' ? right(text) : left(`${file} ${tokens.left.join('; it ')}.`)
  return tokens.right.some(token => token.name === name)
    ? left(`${file} already has a token named ${name}.`)
    : right(text)
}

const append = (file: string, text: string, { name, scope }: Request): string => {
  const token = newToken()
  const separator = text === '' || text.endsWith('\n') ? '' : '\n'
  appendFileSync(file, separator + tokenLine(name, scope, token), { mode: 0o600 })
  return token
}
