import { codec } from '@snippets/domain/values/codec.js'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { ReadText } from './setting-texts.js'

/** An empty value counts as not set: that is what a compose file passes on for an unset variable. */
export const setting = <A>(fallback: string, meaning: string, readText: ReadText<A>) => {
  const parse = (value: unknown) =>
    pipe(
      readText(typeof value === 'string' && value !== '' ? value : fallback),
      E.mapLeft(message => ({ code: 'setting', message })),
    )
  return Object.assign(codec(meaning, parse), { fallback, meaning })
}
