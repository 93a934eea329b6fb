import type { Expectation } from '@snippets/domain/entities/revision.js'
import { type Content, contentCodec, contentFieldNames, type Draft } from '@snippets/domain/entities/snippet.js'
import { type Id, makeId } from '@snippets/domain/values/id.js'
import { type Either, fromOption, isRight } from 'fp-ts/lib/Either.js'
import type { Option } from 'fp-ts/lib/Option.js'
import { errorText } from './error-text.js'
import { type Body, bodyOf } from './samples.js'

/** Returns the value of a right; fails the test on a left. */
export const must = <A>(result: Either<unknown, A>): A => {
  if (isRight(result)) return result.right
  throw new Error(`expected a right, got ${errorText(result.left)}`)
}

/** Returns the value of a some; fails the test on a none. */
export const mustExist = <A>(option: Option<A>): A => must(fromOption(() => 'a none')(option))

export const anId = (value: bigint): Id => mustExist(makeId(value))

const content = (given: Partial<Body>): Content => must(contentCodec.decode(bodyOf(given)))

/** Creates changes of exactly the given fields. */
export const changes = (given: Partial<Body>): Partial<Content> => {
  const valid = content(given)
  return Object.fromEntries(contentFieldNames.filter(field => field in given).map(field => [field, valid[field]]))
}

/** The expectation that every revision meets. */
export const anyRevision: Expectation = {}

/** The time of drafts and updates. It is recent, because databases delete the claims of expired idempotency keys. */
export const now = Date.now()

export const draft = ({
  created_at = now,
  ...given
}: Partial<Body> & Readonly<{ created_at?: number }> = {}): Draft => ({
  created_at,
  ...content(given),
})
