import * as E from 'fp-ts/lib/Either.js'
import { type Problem, type ProblemError, problem, validationProblem } from '../response/problems.js'
import { percentEncode } from '../response/response.js'
import { didYouMean, truncate } from './did-you-mean.js'

/** The maximum length. It suffices for all parameters at their maximum length, percent-encoded. */
const maxQueryLength = 8192

const maxErrors = 10

/** The decoded values by name, and the parameters of every page of the list, as in `ListRequest`. */
type QueryString = Readonly<{ values: Readonly<Record<string, string>>; sharedParameters: string }>

const pageParameters: readonly string[] = ['page', 'after', 'before']

/**
 * Parses a query string in which each parameter is allowed and appears at most once. `ctx.query` of Koa takes quadratic
 * time and accepts invalid UTF-8. `known` tells clients which parameters there are.
 */
export const readQueryString = (
  raw: string,
  allowed: readonly string[],
  known = `this list takes ${allowed.join(', ')}`,
): E.Either<Problem, QueryString> => {
  if (raw.length > maxQueryLength) return E.left(queryTooLong)
  const values: Record<string, string> = {}
  const errors: ProblemError[] = []
  let sharedParameters = ''
  for (const pair of raw.split('&')) {
    if (pair === '') continue
    const decoded = decodePair(pair)
    if (decoded === undefined) errors.push(badEncoding(pair))
    else if (!allowed.includes(decoded.name)) errors.push(unknownParameter(decoded.name, allowed, known))
    else if (Object.hasOwn(values, decoded.name)) errors.push(repeatedParameter(decoded.name))
    else {
      values[decoded.name] = decoded.value
      if (!pageParameters.includes(decoded.name)) sharedParameters += `${percentEncode(pair)}&`
    }
    if (errors.length === maxErrors) break
  }
  return errors.length > 0 ? E.left(validationProblem('invalid-query', errors)) : E.right({ values, sharedParameters })
}

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

const queryTooLong = problem('query-too-long', {
  detail: `A query string may have at most ${maxQueryLength} characters.`,
})

const badEncoding = (pair: string): ProblemError => ({
  parameter: truncate(pair.split('=', 1)[0] ?? ''),
  code: 'encoding',
  message: `${truncate(pair)} is not percent-encoded UTF-8`,
})

const repeatedParameter = (name: string): ProblemError => ({
  parameter: name,
  code: 'repeated',
  message: `${name} must appear at most once`,
})

const unknownParameter = (name: string, allowed: readonly string[], known: string): ProblemError => ({
  parameter: truncate(name),
  code: 'unknown',
  message: `${truncate(name)} is not a parameter: ${known}${didYouMean(name, allowed)}`,
})
