import { codec } from '@snippets/domain/codec.js'
import { mapLeft } from '@snippets/domain/fp/either.js'
import { pipe } from '@snippets/domain/fp/pipe.js'
import type { ReadText } from './setting-texts.js'

/** An empty value counts as not set: that is what a compose file passes on for an unset variable. */
export const setting = <A>(fallback: string, meaning: string, readText: ReadText<A>) => {
  const parse = (value: unknown) =>
    pipe(
      readText(typeof value === 'string' && value !== '' ? value : fallback),
      mapLeft(message => ({ code: 'setting', message })),
    )
  return Object.assign(codec(meaning, parse), { fallback, meaning })
}
