import type { Expectation } from '@snippets/domain/entities/revision.js'
import * as E from 'fp-ts/lib/Either.js'
import { revisionsIn } from '../formats/entity-tag.js'
import type { OpenApiObject } from '../formats/openapi-objects.js'
import { makeBadRequest, makeProblem, type Problem } from '../formats/problems.js'
import { type HttpResponse, makeProblemResponse } from '../response/response.js'
import type { RequestReader } from './reader.js'

/** An element of a list and the comma after it. An element may be empty (RFC 9110, 5.6.1 and 8.8.3). */
const element = /(?:((?:W\/)?"[!\x23-\x7e\x80-\xff]*")[\t ]*)?(?:,[\t ]*|$)/y

/** Parses the tags of If-Match or If-None-Match; `*` means any. Returns undefined for a malformed header. */
const parseTags = (header: string): '*' | readonly string[] | undefined => {
  if (header === '*') return '*'
  const tags: string[] = []
  element.lastIndex = 0
  while (element.lastIndex < header.length) {
    const match = element.exec(header)
    if (match === null) return undefined
    if (match[1] !== undefined) tags.push(match[1])
  }
  return tags
}

const malformed = (name: string): E.Either<Problem, never> =>
  E.left(makeBadRequest(`${name} must be * or a list of entity tags, such as "a", "b".`))

/** Removes the prefix of a weak tag, as If-None-Match compares weakly (RFC 9110, 13.1.2). */
const withoutWeakPrefix = (tag: string): string => tag.replace(/^W\//, '')

/** Describes the headers. `unmet` is the status if If-None-Match has the current tag. */
const parametersOf = (unmet: 304 | 412): readonly OpenApiObject[] =>
  [
    { name: 'If-Match', description: 'ETags, or *. Returns 412 unless one of them is current.' },
    { name: 'If-None-Match', description: `ETags, or *. Returns ${unmet} if one of them is current.` },
  ].map(parameter => ({ ...parameter, in: 'header', schema: { type: 'string' } }))

const conditionProblems = ['bad-request', 'precondition-failed'] as const

/**
 * Reads the preconditions of a read. Returns a function that replaces a response by 412 or 304, in the order of RFC
 * 9110, 13.2.2.
 */
export const preconditionReader: RequestReader<(response: HttpResponse) => HttpResponse> = {
  read: ({ req: { headers } }) => {
    const { 'if-match': match, 'if-none-match': noneMatch } = headers
    const expected = parseTags(match ?? '*')
    if (expected === undefined) return malformed('If-Match')
    // a malformed header is ignored, because a complete response is always correct
    const cached = parseTags(noneMatch ?? '') ?? []
    return E.right(response => {
      const { ETag = '' } = response.headers
      if (expected !== '*' && !expected.includes(ETag)) return makeProblemResponse(makeProblem('precondition-failed'))
      const isCached = cached === '*' || cached.map(withoutWeakPrefix).includes(ETag)
      return isCached ? { status: 304, headers: { ETag } } : response
    })
  },
  parameters: parametersOf(304),
  problems: conditionProblems,
}

/** Reads the revisions that a write may replace (RFC 9110, 13.1.1 and 13.1.2). The storage compares them atomically. */
export const expectationReader: RequestReader<Expectation> = {
  read: ({ req: { headers } }) => {
    const { 'if-match': match, 'if-none-match': noneMatch } = headers
    // a malformed header could mean any tag, so the write is rejected
    const expected = parseTags(match ?? '*')
    if (expected === undefined) return malformed('If-Match')
    const excluded = parseTags(noneMatch ?? '')
    if (excluded === undefined) return malformed('If-None-Match')
    // `*` excludes every revision
    if (excluded === '*') return E.right({ oneOf: [] })
    const noneOf = excluded.map(withoutWeakPrefix).flatMap(revisionsIn)
    return E.right(expected === '*' ? { noneOf } : { oneOf: expected.flatMap(revisionsIn), noneOf })
  },
  parameters: parametersOf(412),
  problems: conditionProblems,
}
