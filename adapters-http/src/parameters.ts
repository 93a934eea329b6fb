import type { RouterContext } from '@koa/router'
import { type Either, isLeft, left, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { invalidQuery, type Problem, type ProblemError, queryTooLong } from './problem.js'

/** Room for every parameter at its longest, percent-encoded, and then some. */
export const maxQueryLength = 4096

const mostErrors = 10

type Values = Readonly<Record<string, string>>

/** What a list understands of its query string. */
export type Parameters<Q> = Readonly<{
  names: readonly string[]
  decode: (values: Values) => Either<readonly ProblemError[], Q>
}>

export const noParameters: Parameters<null> = { names: [], decode: () => right(null) }

/** Koa's `ctx.query` takes time with the square of the length, and lets pass what is not UTF-8. */
export const rawQuery = ({ req: { url = '' } }: RouterContext): string => {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}

export const readQuery = <Q>(ctx: RouterContext, { names, decode }: Parameters<Q>): Either<Problem, Q> => {
  const values = readValues(rawQuery(ctx), names)
  return isLeft(values) ? values : pipe(values.right, decode, mapLeft(invalidQuery))
}

/** Every name must be an allowed one and come once. */
const readValues = (raw: string, allowed: readonly string[]): Either<Problem, Values> => {
  if (raw.length > maxQueryLength) return left(queryTooLong(maxQueryLength))
  const values: Record<string, string> = {}
  const errors: ProblemError[] = []
  for (const pair of pairs(raw)) {
    const decoded = decodePair(pair)
    if (decoded === undefined) errors.push(badEncoding(pair))
    else if (!allowed.includes(decoded.name)) errors.push(unknownParameter(decoded.name, allowed))
    else if (Object.hasOwn(values, decoded.name)) errors.push(repeatedParameter(decoded.name))
    else values[decoded.name] = decoded.value
    if (errors.length === mostErrors) break
  }
  return errors.length > 0 ? left(invalidQuery(errors)) : right(values)
}

/** The query string with one parameter set and the others as they came. */
export const withParameter = (raw: string, name: string, value: number): string =>
  [...pairs(raw).filter(pair => decodePair(pair)?.name !== name), `${name}=${value}`].join('&')

const pairs = (raw: string): readonly string[] => raw.split('&').filter(pair => pair !== '')

const decodePair = (pair: string): { name: string; value: string } | undefined => {
  const equals = pair.indexOf('=')
  const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]
  try {
    return { name: decodeText(name), value: decodeText(value) }
  } catch {
    return undefined
  }
}

const decodeText = (text: string): string => (/[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text)

const longestShown = 40

const shown = (name: string): string =>
  name.length > longestShown ? `${name.slice(0, longestShown).toWellFormed()}…` : name

const badEncoding = (pair: string): ProblemError => ({
  parameter: shown(pair.split('=', 1)[0] ?? ''),
  code: 'encoding',
  message: `${shown(pair)} is not percent-encoded UTF-8`,
})

const repeatedParameter = (name: string): ProblemError => ({
  parameter: name,
  code: 'repeated',
  message: `${name} may come once only`,
})

const unknownParameter = (name: string, allowed: readonly string[]): ProblemError => {
  const nearest = nearestTo(name, allowed)
  const known = allowed.length > 0 ? `this list knows ${allowed.join(', ')}` : 'this list takes no parameters'
  return {
    parameter: shown(name),
    code: 'unknown',
    message: `${shown(name)} is not a parameter: ${known}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
  }
}

/** The parameter that was probably meant: one with a slip or two in it, or one that begins alike. */
const nearestTo = (name: string, allowed: readonly string[]): string | undefined => {
  if (name.length > longestShown) return undefined
  const written = name.toLowerCase()
  const [best] = allowed
    .map(candidate => ({ candidate, distance: editDistance(written, candidate) }))
    .filter(
      ({ candidate, distance }) =>
        distance <= 1 || (distance === 2 && alike(written, candidate, 1)) || alike(written, candidate, 3),
    )
    .sort((a, b) => a.distance - b.distance)
  return best?.candidate
}

const alike = (name: string, candidate: string, letters: number): boolean =>
  name.length >= letters && candidate.startsWith(name.slice(0, letters))

/** How many characters must be put in, taken out or replaced to get from one word to the other. */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...to].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
