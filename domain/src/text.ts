import { type Either, left, right } from 'fp-ts/lib/Either.js'
import { type Bounds, limits, type TextField } from './rules.js'

declare const valid: unique symbol

/** A text that keeps the rules of its field. Only `parseText` makes one. */
export type Text<F extends TextField> = string & { readonly [valid]: F }

export type Fault = Readonly<{ field: string; code: 'required' | 'type' | 'length' | 'encoding'; message: string }>

/** Takes the value as it is (nothing is trimmed or normalised) or says what is wrong with it. */
export const parseText =
  <F extends TextField>(field: F) =>
  (value: unknown): Either<Fault, Text<F>> => {
    const { min, max } = limits[field]
    const fault = (code: Fault['code'], message: string) => left({ field, code, message: `${field} ${message}` })
    if (value === undefined) return fault('required', 'is required')
    if (typeof value !== 'string') return fault('type', 'must be a string')
    if (!hasLength(value, limits[field])) return fault('length', `must be between ${min} and ${max} characters`)
    if (!value.isWellFormed()) return fault('encoding', 'must not contain a lone surrogate')
    return right(value as Text<F>)
  }

const hasLength = (text: string, { min, max }: Bounds): boolean => {
  // a character takes one or two UTF-16 units, so most texts need no counting
  if (text.length > max * 2) return false
  const length = text.length > max || text.length < min * 2 ? countCodePoints(text) : text.length
  return length >= min && length <= max
}

const countCodePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Orders by code point, as a database does that compares UTF-8 bytes. JavaScript's `<` compares UTF-16 units. */
export const compareText = (a: string, b: string): number => {
  if (a === b) return 0
  const shorter = Math.min(a.length, b.length)
  for (let i = 0; i < shorter; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return codePointRank(x) - codePointRank(y)
  }
  return a.length - b.length
}

/** Surrogates stand for code points past U+FFFF, so they go behind U+E000 to U+FFFF. */
const codePointRank = (unit: number): number => {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
