import { codec, faultsOf, type Reason } from '@snippets/domain/codec.js'
import { type Id, maxId, parseId } from '@snippets/domain/id.js'
import type { Row } from '@snippets/domain/old-row-store.js'
import { contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

/** The first line of a file. `snippets` is an estimate for the progress bar: the footer has the count that is checked. */
export type Head = Readonly<{ lastId: bigint; snippets: number | undefined }>

/** The last line of a file: without it the file has lost its end. */
export type Footer = Readonly<{ users: number; snippets: number }>

export type Line = Readonly<{ kind: 'row'; row: Row } | { kind: 'footer'; footer: Footer }>

const format = 'snippets'
const version = 1

export const headLine = ({ lastId, snippets }: Head): string =>
  `{"format":"${format}","version":${version},"last_id":${lastId}${snippets === undefined ? '' : `,"snippets":${snippets}`}}`

export const footerLine = ({ users, snippets }: Footer): string => `{"end":{"users":${users},"snippets":${snippets}}}`

/** One row. The digits of an id are exact, which they would not be as a number of JavaScript. */
export const rowLine = ({ kind, row }: Row): string => {
  if (kind === 'user') return `{"user":${row.id},"username":${JSON.stringify(row.username)}}`
  const texts = contentFieldNames.map(field => `"${field}":${JSON.stringify(row[field])}`).join()
  return `{"snippet":${row.id},"version":${row.version},"created_at":"${new Date(row.created_at).toISOString()}",${texts}}`
}

const reject = (message: string): E.Either<Reason, never> => E.left({ code: 'line', message })

const id = codec('id', (value): E.Either<Reason, Id> => {
  // a larger number was written with an exponent, and may have been rounded
  const parsed = typeof value === 'string' || Number.isSafeInteger(value) ? parseId(String(value)) : O.none
  const found = O.toUndefined(parsed)
  return found === undefined ? reject(`must be an id from 1 to ${maxId}`) : E.right(found)
})

const whole = (min: number) =>
  codec(
    'number',
    (value): E.Either<Reason, number> =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= min
        ? E.right(value)
        : reject('must be a whole number'),
  )

const time = codec('time', (value): E.Either<Reason, number> => {
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(instant) || new Date(instant).toISOString() !== value
    ? reject('must be a time such as 2026-01-02T03:04:05.678Z')
    : E.right(instant)
})

const codecs = {
  user: t.strict({ user: id, username: t.string }),
  snippet: t.strict({ snippet: id, version: whole(1), created_at: time, ...contentFields }),
  format: t.type({ format: t.literal(format), version: whole(1) }),
  head: t.partial({ snippets: whole(0) }),
  footer: t.strict({ end: t.strict({ users: whole(0), snippets: whole(0) }) }),
}

/** Left says what is wrong with the line. */
export const parseLine = (text: string): E.Either<string, Line> => {
  const value = parseExactly(text)
  if (typeof value !== 'object' || value === null) return E.left('is not a JSON object')
  if ('snippet' in value) {
    const decoded = codecs.snippet.decode(value)
    if (E.isLeft(decoded)) return E.left(wrong(decoded.left))
    const { snippet, ...rest } = decoded.right
    return E.right({ kind: 'row', row: { kind: 'snippet', row: { id: snippet, ...rest } } })
  }
  if ('user' in value) {
    const decoded = codecs.user.decode(value)
    if (E.isLeft(decoded)) return E.left(wrong(decoded.left))
    return E.right({
      kind: 'row',
      row: { kind: 'user', row: { id: decoded.right.user, username: decoded.right.username } },
    })
  }
  if ('format' in value) return E.left('is not where it belongs: the head is line 1')
  if (!('end' in value)) return E.left('is neither a snippet nor a user')
  const decoded = codecs.footer.decode(value)
  return E.isLeft(decoded) ? E.left(wrong(decoded.left)) : E.right({ kind: 'footer', footer: decoded.right.end })
}

const noHead = 'is not the head of a snippets file'

/** Left says what is wrong with the line, which is the first one. */
export const parseHead = (text: string): E.Either<string, Head> => {
  const value = parseExactly(text)
  const known = codecs.format.decode(value)
  if (E.isLeft(known)) return E.left(noHead)
  if (known.right.version > version)
    return E.left(`says version ${known.right.version}, which a newer version of this service wrote`)
  const head = codecs.head.decode(value)
  if (E.isLeft(head)) return E.left(`${noHead}: snippets must be a whole number`)
  const lastId = lastIdIn(text)
  return lastId === undefined
    ? E.left(`${noHead}: last_id must be an integer from 0 to ${maxId}`)
    : E.right({ lastId, snippets: head.right.snippets })
}

/** Read from the text: as a value, `5`, `"5"` and `5e0` cannot be told apart for certain. */
const lastIdIn = (text: string): bigint | undefined => {
  const digits = /"last_id"\s*:\s*(0|[1-9]\d{0,18})\s*[,}]/.exec(text)?.[1]
  return digits !== undefined && BigInt(digits) <= maxId ? BigInt(digits) : undefined
}

const wrong = (errors: t.Errors): string =>
  `is not valid: ${faultsOf(errors)
    .map(({ name, message }) => (message.startsWith(name) ? message : `${name} ${message}`))
    .join('; ')}`

/** A string, or an integer that a double would round. */
const longInteger = /"[^"\\]*(?:\\.[^"\\]*)*"|\b\d{16,}\b/g

/** Reads integers of 16 digits and more as strings. */
const parseExactly = (text: string): unknown => {
  try {
    return JSON.parse(text.replace(longInteger, token => (token.startsWith('"') ? token : `"${token}"`)))
  } catch {
    return undefined
  }
}
