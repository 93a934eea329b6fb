import { hashToken, scopes, type Token } from '@snippets/adapters-http/middleware/tokens.js'
import type { Log } from '@snippets/domain/ports/log.js'
import * as A from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Metrics } from '../metrics/metrics.js'
import { readSmallTextFile } from '../text-file.js'

/** The path of a token file, and the tokens that it held at the start. */
type TokenFile = Readonly<{ path: string; tokens: readonly Token[] }>

/** Removes the secrets of tokens: an operator may have set a token instead of a path. */
const maskTokens = (text: string): string => text.replace(/snippets_[\w-]{43}/g, 'snippets_…')

/** Reads the tokens of a file. Left is a message for the operator. */
const readTokens = (path: string): E.Either<string, readonly Token[]> =>
  pipe(
    readSmallTextFile(path),
    E.mapLeft(fault => `${fault}; make it with \`npm run token\`, in UTF-8 and readable for the user of the service`),
    E.chain(parseTokens),
  )

export const loadTokenFile = (path: string): E.Either<string, TokenFile> =>
  pipe(
    readTokens(path),
    E.bimap(
      fault => `cannot be used: ${maskTokens(path)}: ${fault}`,
      tokens => ({ path, tokens }),
    ),
  )

/** The valid tokens of the service. */
export type ReloadableTokens = Readonly<{
  /** Returns the valid tokens. Undefined if requests need no token. */
  tokens?: () => readonly Token[]
  /** Reads the file again. A malformed file changes nothing. */
  reload: () => void
}>

const faultyHelp = '1 while the last reload of API_TOKENS_FILE failed, else 0'

export const createReloadableTokens = (
  file: O.Option<TokenFile>,
  { log, metrics }: Readonly<{ log: Log; metrics: Metrics }>,
): ReloadableTokens => {
  let isFaulty = false
  metrics.addGauge('service_tokens_faulty', faultyHelp, () => Number(isFaulty))
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
      isFaulty = E.isLeft(next)
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

export const makeTokenLine = (name: string, scope: string, token: string): string =>
  `${name} ${scope} sha256:${Buffer.from(hashToken(token)).toString('hex')}\n`

const wellFormed = /^([\w.-]{1,64}) (\w+) sha256:([0-9a-f]{64})$/

/** Parses a file with one token per line. Returns all faults as Left. */
export const parseTokens = (text: string): E.Either<string, readonly Token[]> => {
  const { left: faults, right: tokens } = A.separate(text.split('\n').flatMap(parseLine))
  const names = tokens.map(({ name }) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  const all = [...faults, ...repeated.map(name => `${name} is named twice`)]
  return all.length > 0 ? E.left(all.join('; ')) : E.right(tokens)
}

/** Parses a line. An empty line and a comment give no token. The fault omits the line, which may hold a token. */
const parseLine = (line: string, index: number): readonly E.Either<string, Token>[] => {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return []
  const [, name = '', named, hash = ''] = wellFormed.exec(text) ?? []
  const scope = scopes.find(known => known === named)
  return scope === undefined
    ? [E.left(`line ${index + 1} is not "name ${scopes.join('|')} sha256:hash"`)]
    : [E.right({ name, scope, hash: Buffer.from(hash, 'hex') })]
}
