import { hashToken, type Scope, type Token } from '@snippets/adapters-http/access/token.js'
import { separate } from 'fp-ts/lib/Array.js'
import * as E from 'fp-ts/lib/Either.js'

export const isTokenName = (name: string): boolean => /^[\w.-]{1,64}$/.test(name)

export const tokenLine = (name: string, scope: Scope, token: string): string =>
  `${name} ${scope} sha256:${Buffer.from(hashToken(token)).toString('hex')}\n`

const wellFormed = /^([\w.-]{1,64}) (read|write) sha256:([0-9a-f]{64})$/

/** Parses a file with one token per line. Left holds faults without a subject: callers prepend the name of the file. */
export const parseTokens = (text: string): E.Either<readonly string[], readonly Token[]> => {
  const { left: faults, right: tokens } = separate(text.split('\n').flatMap(parseLine))
  const names = tokens.map(({ name }) => name)
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  const all = [...faults, ...repeated.map(name => `names ${name} twice`)]
  return all.length > 0 ? E.left(all) : E.right(tokens)
}

/** Parses a line. An empty line and a comment give no token. The fault omits the line, which may hold a token. */
const parseLine = (line: string, index: number): readonly E.Either<string, Token>[] => {
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return []
  const [, name = '', scope, hash = ''] = wellFormed.exec(text) ?? []
  if (scope !== 'read' && scope !== 'write')
    return [E.left(`must have "name read|write sha256:hash" in line ${index + 1}`)]
  return [E.right({ name, scope, hash: Buffer.from(hash, 'hex') })]
}
