import type { Token } from '@snippets/adapters-http/access/token.js'
import type { Log } from '@snippets/application/log.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { hideCredentials, SettingsError } from '../operator-messages.js'
import { readText } from '../read-text.js'
import { parseTokens } from './token-list.js'

type TokenFile = Readonly<{
  /** Returns the valid tokens. */
  tokens: () => readonly Token[]
  /** Reads the file again. A malformed file changes nothing. */
  reload: () => void
}>

/** Throws a SettingsError if the token file is unusable. A file without tokens is valid: all may be revoked. */
export const openTokenFile = (path: string, log: Log): TokenFile => {
  const first = readTokens(path)
  if (E.isLeft(first))
    throw new SettingsError(`API_TOKENS_FILE cannot be used: ${hideCredentials(path)} ${first.left.join('; it ')}.`)
  let tokens = first.right
  const warnIfEmpty = (): void => {
    if (tokens.length === 0) log.warn({}, 'API_TOKENS_FILE holds no token: every request gets 401')
  }
  warnIfEmpty()
  return {
    tokens: () => tokens,
    reload: () => {
      const read = readTokens(path)
      if (E.isLeft(read))
        return log.error({ faults: read.left }, 'API_TOKENS_FILE is faulty: the tokens stay as they were')
      tokens = read.right
      log.info({ tokens: tokens.length }, 'tokens reloaded')
      warnIfEmpty()
    },
  }
}

const readTokens = (path: string): E.Either<readonly string[], readonly Token[]> =>
  pipe(
    readText(path),
    E.mapLeft(code => [`cannot be read (${code})`]),
    E.chain(parseTokens),
  )
