import {
  anyRevision,
  type Expectation,
  except,
  expectOneOf,
  noRevision,
  type Revision,
} from '@snippets/domain/entities/revision.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Context } from 'koa'
import type { ReadCondition } from '../answer/answer.js'
import { exampleTag, revisionOf } from '../answer/entity-tag.js'
import { badRequest, type Problem, problem } from '../answer/problems.js'
import { weakTagProblem } from '../answer/request-error.js'
import type { Schema } from '../json-schema.js'
import type { RequestReader } from './reader.js'

/** An element of a list and the comma behind it. An element may be empty (RFC 9110, 5.6.1 and 8.8.3). */
const element = /(?:((?:W\/)?"[!\x23-\x7e\x80-\xff]*")[\t ]*)?(?:,[\t ]*|$)/y

/** The tags of an If-Match or If-None-Match header; `*` stands for any. Undefined when the header is malformed. */
const tagsIn = (header: string): '*' | readonly string[] | undefined => {
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
  E.left(badRequest(`${name} must be * or a list of entity tags, such as "a", "b".`))

/** If-None-Match compares weakly (RFC 9110, 13.1.2). */
const strong = (tag: string): string => tag.replace(/^W\//, '')

/** Without a well-formed header the answer is complete, which is always right. */
const isAmong = (etag: string, noneMatch = ''): boolean => {
  const cached = tagsIn(noneMatch) ?? []
  return cached === '*' || cached.some(tag => strong(tag) === etag)
}

const header = (name: string, description: string): Schema => ({
  name,
  in: 'header',
  description,
  schema: { type: 'string' },
  example: exampleTag,
})

const ifMatch = header('If-Match', 'ETags, or *; the answer is 412 unless one of them is current.')

const unconditional: ReadCondition = () => 'proceed'

const isWeak = (tag: string): boolean => tag.startsWith('W/')

const notCurrent = problem('precondition-failed', { detail: 'None of the ETags in If-Match is current.' })

export const readCondition: RequestReader<ReadCondition> = {
  read: ({ req: { headers } }) => {
    const { 'if-match': match, 'if-none-match': noneMatch } = headers
    if (match === undefined && noneMatch === undefined) return E.right(unconditional)
    const matching = match === undefined ? '*' : tagsIn(match)
    if (matching === undefined) return malformed('If-Match')
    return E.right(etag => {
      if (matching !== '*' && !matching.includes(etag)) return matching.some(isWeak) ? weakTagProblem : notCurrent
      // most clients send the one tag that they know
      return noneMatch === etag || isAmong(etag, noneMatch) ? 'not modified' : 'proceed'
    })
  },
  parameters: [ifMatch, header('If-None-Match', 'ETags, or *; the answer is 304 when one of them is current.')],
  problems: ['precondition-failed'],
}

/** Whether If-Match has a weak tag, which matches nothing (RFC 9110, 13.1.1). */
export const hasWeakTag = ({ req: { headers } }: Context): boolean =>
  [tagsIn(headers['if-match'] ?? '') ?? []].flat().some(isWeak)

/** For representations without an entity tag. */
export const noCondition: RequestReader<ReadCondition> = { read: () => E.right(unconditional) }

/** The revisions that a write may replace (RFC 9110, 13.1.1 and 13.1.2). The storage compares them in the write itself. */
export const writeCondition: RequestReader<Expectation> = {
  read: ({ req: { headers } }) => {
    const { 'if-match': match, 'if-none-match': noneMatch } = headers
    if (match === undefined && noneMatch === undefined) return E.right(anyRevision)
    // a write must not depend on a guess
    const matching = tagsIn(match ?? '*')
    if (matching === undefined) return malformed('If-Match')
    const excluded = tagsIn(noneMatch ?? '')
    if (excluded === undefined) return malformed('If-None-Match')
    if (excluded === '*') return E.right(noRevision)
    const expected = matching === '*' ? anyRevision : expectOneOf(revisionsOf(matching))
    return E.right(except(expected, revisionsOf(excluded.map(strong))))
  },
  parameters: [ifMatch, header('If-None-Match', 'ETags, or *; the answer is 412 when one of them is current.')],
}

const revisionsOf = (tags: readonly string[]): readonly Revision[] => tags.flatMap(revisionOf)
