import {
  type ContentField,
  contentCodec,
  contentFieldNames,
  contentFields,
  exampleContent,
} from '@snippets/domain/entities/snippet.js'
import { reasonsOf } from '@snippets/domain/values/codec.js'
import { makeRecord } from '@snippets/domain/values/record.js'
import * as fc from 'fast-check'
import { getOrElseW } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as t from 'io-ts'

/** Content as parsed JSON. */
export type Body = Readonly<t.OutputOf<typeof contentCodec>>

/** Creates valid content. The default of a field is its name, as in `a title`. */
export const bodyOf = (given: Partial<Body> = {}): Body => ({ ...sample, ...given })

const sample: Body = pipe(
  contentCodec.decode({ ...exampleContent, ...makeRecord(contentFieldNames, field => `a ${field}`) }),
  getOrElseW((errors): never => {
    throw new Error(`the sample is invalid: ${JSON.stringify(reasonsOf(errors))}`)
  }),
)

const surrogates = { first: 0xd800, count: 0x800 }

/** Any character but a surrogate. The unit `binary` of fast-check takes a second to load. */
export const character: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map(n => String.fromCodePoint(n < surrogates.first ? n : n + surrogates.count))

/** A character that parsers often mishandle. */
const oddCharacter = fc.constantFrom(...'"\\/\u0000\u001f\u2028\ufeff{}[],:\u0301')

/** Well-formed text, sometimes of full length. */
const textOf = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 7, arbitrary: fc.string({ unit: fc.oneof(character, oddCharacter), minLength: min, maxLength: max }) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(max), '😀'.repeat(max), ' ', '\u0000', '__proto__', 'null') },
  )

/** The valid values of each field that an author writes. */
export const fieldValues: { readonly [F in ContentField]: fc.Arbitrary<Body[F]> } = makeRecord(
  contentFieldNames,
  field => textOf(contentFields[field].limits.min, contentFields[field].limits.max),
)

export const bodies: fc.Arbitrary<Body> = fc.record(fieldValues)
export const partialBodies: fc.Arbitrary<Partial<Body>> = fc.record(fieldValues, { requiredKeys: [] })

/** RFC 3339 writes a year in four digits. */
export const minInstant = Date.parse('0000-01-01T00:00:00.000Z')
export const maxInstant = Date.parse('9999-12-31T23:59:59.999Z')

export const times = fc.integer({ min: minInstant, max: maxInstant })
export const versions = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
export const ids = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n })
