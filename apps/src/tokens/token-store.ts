import type { Token } from '@snippets/adapters-http/middleware/token.js'
import type { Log } from '@snippets/domain/ports/log.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { readTokens, type TokenFile } from './token-file.js'

/** The valid tokens of the service. */
export type TokenStore = Readonly<{
  /** Returns the valid tokens. Undefined if requests need no token. */
  tokens?: () => readonly Token[]
  /** Reads the file again. A malformed file changes nothing. */
  reload: () => void
}>

export const createTokenStore = (file: O.Option<TokenFile>, log: Log): TokenStore => {
  if (O.isNone(file)) return { reload: () => log.warn({}, 'nothing to reload: API_TOKENS_FILE is not set') }
  let { tokens } = file.value
  // a file without tokens is valid, because all may be revoked
  const warnIfEmpty = (): void => {
    if (tokens.length === 0) log.warn({}, 'API_TOKENS_FILE holds no token: every request gets 401')
  }
  warnIfEmpty()
  return {
    tokens: () => tokens,
    reload: () => {
      const next = readTokens(file.value.path)
      if (E.isLeft(next))
        return log.error(
          { fault: next.left },
          'API_TOKENS_FILE is faulty, so revoked tokens still work: correct it, and send SIGHUP again',
        )
      tokens = next.right
      log.info({ tokens: tokens.length }, 'tokens reloaded')
      warnIfEmpty()
    },
  }
}
