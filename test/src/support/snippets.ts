import { type Id, idFrom } from '@snippets/domain/id.js'
import type { Changes, Draft } from '@snippets/domain/snippet.js'
import { parseText } from '@snippets/domain/text.js'
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

type Raw = Readonly<{ title: string; code: string; language: string }>

export const changes = (raw: Partial<Raw>): Changes => ({
  ...(raw.title !== undefined && { title: must(parseText('title')(raw.title)) }),
  ...(raw.code !== undefined && { code: must(parseText('code')(raw.code)) }),
  ...(raw.language !== undefined && { language: must(parseText('language')(raw.language)) }),
})

export const draft = (raw: Partial<Raw & { created_at: number }> = {}): Draft => ({
  title: must(parseText('title')(raw.title ?? 'a title')),
  code: must(parseText('code')(raw.code ?? 'some code')),
  language: must(parseText('language')(raw.language ?? 'a language')),
  created_at: raw.created_at ?? 0,
})
