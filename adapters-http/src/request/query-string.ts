import type { NamedReason } from '@snippets/domain/values/codec.js'
import { closest, distance } from 'fastest-levenshtein'
import * as E from 'fp-ts/lib/Either.js'
import {
  makeProblem,
  makeValidationProblem,
  type Problem,
  type RequestReason,
  shownName,
  truncate,
} from '../formats/problems.js'
import { percentEncode } from './target.js'

/** The maximum length. It suffices for all parameters at their maximum length, percent-encoded. */
const maxQueryLength = 8192

const maxReasons = 10

/** The allowed parameters, those that links to other pages repeat, and a hint about any other parameter. */
type QueryRules = Readonly<{ allowed?: readonly string[]; listing?: readonly string[]; hint?: string }>

/**
 * Parses a query string in which each parameter is allowed and appears at most once. `ctx.query` of Koa takes quadratic
 * time and accepts invalid UTF-8. Returns the decoded texts by name, and the `listing` parameters as the client wrote
 * them. The problem of an unknown parameter contains the hint.
 */
export const parseQueryString = (
  raw: string,
  { allowed = [], listing = [], hint = `this list takes ${allowed.join(', ')}` }: QueryRules,
): E.Either<Problem, Readonly<{ texts: Readonly<Record<string, string>>; listingParameters: string }>> => {
  if (raw.length > maxQueryLength)
    return E.left(makeProblem('query-too-long', { detail: `A query may have at most ${maxQueryLength} bytes.` }))
  const texts: Record<string, string> = {}
  const reasons: NamedReason<RequestReason>[] = []
  const reject = (name: string, code: RequestReason['code'], message: string): void => {
    reasons.push({ name: truncate(name), code, message })
  }
  let listingParameters = ''
  for (const pair of raw.split('&')) {
    if (pair === '') continue
    // a pair without `=` is a name
    const equals = `${pair}=`.indexOf('=')
    const name = decodeText(pair.slice(0, equals))
    const value = decodeText(pair.slice(equals + 1))
    if (name === undefined || value === undefined)
      reject(pair.slice(0, equals), 'encoding', `${truncate(pair)} is not percent-encoded UTF-8`)
    else if (!allowed.includes(name)) {
      const suggestion = didYouMean(truncate(name), allowed)
      reject(name, 'unknown', `${shownName(name)} is not a parameter: ${hint}${suggestion}`)
    } else if (Object.hasOwn(texts, name)) reject(name, 'repeated', `${name} must appear at most once`)
    else {
      texts[name] = value
      if (listing.includes(name)) listingParameters += `${percentEncode(pair)}&`
    }
    if (reasons.length === maxReasons) break
  }
  return reasons.length > 0
    ? E.left(makeValidationProblem('invalid-query', reasons))
    : E.right({ texts, listingParameters })
}

/** Returns the end of a message about an unknown name: the nearest name, if it has at most two edits. */
const didYouMean = (unknown: string, names: readonly string[]): string => {
  if (names.length === 0) return ''
  const nearest = closest(unknown, names)
  return distance(unknown, nearest) <= 2 ? `; did you mean ${nearest}?` : ''
}

/** Decodes form encoding. Returns undefined for a text that is not percent-encoded UTF-8. */
const decodeText = (text: string): string | undefined => {
  if (!/[%+]/.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
