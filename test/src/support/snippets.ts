import { type Id, idFrom } from '@snippets/domain/id.js'
import { type Changes, type Content, contentCodec, contentFieldNames, type Draft } from '@snippets/domain/snippet.js'
import { type Either, isRight } from 'fp-ts/lib/Either.js'
import { isSome } from 'fp-ts/lib/Option.js'

/** Unwraps a right; fails the test on a left. */
export const must = <A>(result: Either<unknown, A>): A => {
  if (isRight(result)) return result.right
  throw new Error(`expected a right, got ${JSON.stringify(result.left)}`)
}

export const anId = (value: bigint): Id => {
  const id = idFrom(value)
  if (isSome(id)) return id.value
  throw new Error(`${value} is not a valid id`)
}

type Raw = Readonly<Record<keyof Content, string>>

const content = (raw: Partial<Raw>): Content =>
  must(contentCodec.decode({ ...Object.fromEntries(contentFieldNames.map(field => [field, `some ${field}`])), ...raw }))

export const changes = (raw: Partial<Raw>): Changes => {
  const whole = content(raw)
  return Object.fromEntries(Object.keys(raw).map(field => [field, whole[field as keyof Content]]))
}

export const draft = ({ created_at = 0, ...raw }: Partial<Raw & { created_at: number }> = {}): Draft => ({
  ...content(raw),
  created_at,
})
