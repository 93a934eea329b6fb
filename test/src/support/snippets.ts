import { inspect } from 'node:util'
import {
  type Content,
  type ContentField,
  contentCodec,
  contentFieldNames,
  type Draft,
  draftOf,
} from '@snippets/domain/entities/snippet.js'
import { type Id, idFrom } from '@snippets/domain/values/id.js'
import { type Either, isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'

/** Unwraps a right; fails the test on a left. */
export const must = <A>(result: Either<unknown, A>): A => {
  if (isRight(result)) return result.right
  throw new Error(`expected a right, got ${inspect(result.left)}`)
}

export const anId = (value: bigint): Id => {
  const id = idFrom(value)
  if (isSome(id)) return id.value
  throw new Error(`${value} is not a valid id`)
}

type Raw = Readonly<{ [F in ContentField]?: string }>

/** Valid content; a field that is not given is `a title` and the like. */
const content = (raw: Raw): Content =>
  must(contentCodec.decode(Object.fromEntries(contentFieldNames.map(field => [field, raw[field] ?? `a ${field}`]))))

/** Changes of exactly the fields that are given. */
export const changes = (raw: Raw): Partial<Content> => {
  const valid = content(raw)
  return Object.fromEntries(contentFieldNames.filter(field => field in raw).map(field => [field, valid[field]]))
}

export const draft = ({ created_at = 0, ...raw }: Raw & Readonly<{ created_at?: number }> = {}): Draft =>
  draftOf(content(raw), created_at)
