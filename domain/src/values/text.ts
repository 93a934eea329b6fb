import type * as t from 'io-ts'
import { codec, type Reason } from './codec.js'

declare const validText: unique symbol

/** A text within the limits of its field. Only the field's codec makes it. */
export type Text<F extends string> = string & { readonly [validText]: F }

/** The allowed number of characters. A character is a code point: an emoji counts as one. */
type Limits = Readonly<{ min: number; max: number }>

/** The codec of a text field, with its limits and an example. */
type TextCodec<F extends string> = t.Type<Text<F>, string, unknown> & Readonly<{ limits: Limits; example: string }>

/** Creates a text field. Texts are stored unchanged: neither trimmed nor normalised. */
export const textField = <F extends string>(field: F, limits: Limits, example: string): TextCodec<F> =>
  Object.assign(codec<Text<F>>(field, validateText(field, limits)), { limits, example })

/** Creates a function that returns the reason for rejecting a text, if there is one. */
export const validateText =
  (field: string, limits: Limits) =>
  (value: unknown): Reason | undefined => {
    const reject = (code: Reason['code'], message: string): Reason => ({ code, message: `${field} ${message}` })
    if (value === undefined) return reject('required', 'is required')
    if (typeof value !== 'string') return reject('type', 'must be a string')
    if (!isWithin(limits, value)) return reject('length', `must be between ${limits.min} and ${limits.max} characters`)
    if (!value.isWellFormed()) return reject('encoding', 'must not contain a lone surrogate')
    return undefined
  }

const isWithin = ({ min, max }: Limits, value: string): boolean => {
  // a code point takes one or two UTF-16 units, so most texts need no counting
  if (value.length > max * 2) return false
  let length = value.length
  if (length > max || length < min * 2) {
    length = 0
    // a spread would fill an array with thousands of strings
    for (const _ of value) length++
  }
  return length >= min && length <= max
}
