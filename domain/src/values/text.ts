import * as E from 'fp-ts/lib/Either.js'
import type * as t from 'io-ts'
import { codec, type Reason } from './codec.js'

declare const valid: unique symbol

/** A text that keeps the limits of its field. Only the field's codec makes one. */
export type Text<F extends string> = string & { readonly [valid]: F }

/** How many characters a text may have. Characters are code points: an emoji counts as one. */
export type Limits = Readonly<{ min: number; max: number }>

/** One definition with three readers: the codec, its limits, and the JSON Schema that says the same. */
export type TextCodec<F extends string> = t.Type<Text<F>, string, unknown> &
  Readonly<{ limits: Limits; schema: TextSchema }>

type TextSchema = Readonly<{
  type: 'string'
  minLength: number
  maxLength: number
  examples: readonly [string]
}>

export const text = <F extends string>(field: F, limits: Limits, example: string): TextCodec<F> =>
  Object.assign(codec(field, parseText(field, limits)), {
    limits,
    schema: { type: 'string', minLength: limits.min, maxLength: limits.max, examples: [example] } as const,
  })

/** Texts are kept as they are: nothing is trimmed or normalised. */
const parseText =
  <F extends string>(field: F, limits: Limits) =>
  (value: unknown): E.Either<Reason, Text<F>> => {
    const reject = (code: string, message: string) => E.left({ code, message: `${field} ${message}` })
    if (value === undefined) return reject('required', 'is required')
    if (typeof value !== 'string') return reject('type', 'must be a string')
    if (!isWithin(limits, value)) return reject('length', `must be between ${limits.min} and ${limits.max} characters`)
    if (!value.isWellFormed()) return reject('encoding', 'must not contain a lone surrogate')
    return E.right(value as Text<F>)
  }

const isWithin = ({ min, max }: Limits, value: string): boolean => {
  // a code point takes one or two UTF-16 units, so most texts need no counting
  if (value.length > max * 2) return false
  const length = value.length > max || value.length < min * 2 ? [...value].length : value.length
  return length >= min && length <= max
}

const needsKey = /[\ud800-\uffff]/

/**
 * A key that sorts under `<` as the text does by code point, as a database sorts that compares UTF-8 bytes. JavaScript compares
 * UTF-16 units, of which surrogates come before U+E000 to U+FFFF although they stand for what comes after.
 */
export const codePointKey = (text: string): string =>
  needsKey.test(text) ? text.replace(/[\ud800-\uffff]/g, unit => String.fromCharCode(codePointRank(unit))) : text

const codePointRank = (unit: string): number => unit.charCodeAt(0) + (unit < '\ue000' ? 0x2000 : -0x800)
