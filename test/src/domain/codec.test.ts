import { codec, decoder, faultsOf, fieldsDecoder, partialDecoder } from '@snippets/domain/values/codec.js'
import { withDefault } from '@snippets/domain/values/field.js'
import { text } from '@snippets/domain/values/text.js'
import { expect } from 'chai'
import { isLeft, mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { none, some } from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'

const faultsWith = (subject: t.Decoder<unknown, unknown>, value: unknown) => {
  const decoded = subject.decode(value)
  return isLeft(decoded) ? faultsOf(decoded.left) : []
}

const isEven = (value: unknown): boolean => typeof value === 'number' && value % 2 === 0

const even = codec<number>('even', value =>
  isEven(value) ? none : some({ code: 'integer', message: `${value} is odd` }),
)

/** Reads a text as a number. */
const number = decoder('number', (value, context) =>
  /^\d+$/.test(String(value)) ? t.success(Number(value)) : t.failure(value, context, `${value} is no number`),
)

describe('faultsOf', () => {
  it('returns the reasons under the names of their fields, in the order of the fields', () => {
    expect(faultsWith(t.type({ a: even, b: even, c: t.type({ d: even }) }), { c: { d: 5 }, b: 2, a: 3 })).to.deep.equal(
      [
        { name: 'a', code: 'integer', message: '3 is odd' },
        { name: 'c.d', code: 'integer', message: '5 is odd' },
      ],
    )
  })

  it('explains the failure of a plain io-ts codec', () => {
    for (const [decoder, name, message] of [
      [t.type({ a: t.number }), 'a', 'a must be of type number'],
      [t.number, '', 'the value must be of type number'],
    ] as const)
      expect(faultsWith(decoder, { a: 'x' })).to.deep.equal([{ name, code: 'type', message }])
  })
})

describe('decoder', () => {
  it('returns the decoded value, or the message of its failure', () => {
    expect(number.decode('12')).to.deep.equal(right(12))
    expect(faultsWith(number, 'x')).to.deep.equal([{ name: '', code: 'type', message: 'x is no number' }])
  })
})

describe('fieldsDecoder', () => {
  const pair = fieldsDecoder('pair', { a: number, b: t.union([t.undefined, even]) })

  it('decodes each field, and drops unknown fields', () => {
    expect(pair.decode({ a: '1', b: 2, c: 3 })).to.deep.equal(right({ a: 1, b: 2 }))
    expect(pair.decode({ a: '1' })).to.deep.equal(right({ a: 1, b: undefined }))
  })

  it('reports every fault, and rejects values that are not objects', () => {
    expect(faultsWith(fieldsDecoder('both', { a: number, b: even }), { b: 3 }).map(({ name }) => name)).to.deep.equal([
      'a',
      'b',
    ])
    for (const value of [undefined, null, 'text', []]) expect(faultsWith(pair, value)).to.have.length.above(0)
  })
})

describe('A field with a default', () => {
  const colour = withDefault(text('colour', { min: 1, max: 5 }, 'red'), 'blue')
  const parse = (subject: t.Decoder<unknown, unknown>, value: unknown) => pipe(subject.decode(value), mapLeft(faultsOf))

  it('gets the default only if it is missing', () => {
    expect(parse(t.strict({ colour }), {})).to.deep.equal(right({ colour: 'blue' }))
    expect(parse(colour, 'green')).to.deep.equal(right('green'))
    for (const wrong of [null, '', 'purple']) expect(parse(colour, wrong)).to.have.property('left')
  })

  it('recognises valid values only, and not undefined', () => {
    expect([colour.is('blue'), colour.is(undefined), colour.is('')]).to.deep.equal([true, false, false])
  })

  it('keeps the schema, limits and size of its field', () => {
    expect(colour.schema).to.include({ type: 'string', maxLength: 5 })
    expect([colour.hasDefault, colour.limits.max, colour.maxJsonBytes]).to.deep.equal([true, 5, 60])
  })

  it('stays missing in partial changes', () => {
    expect(parse(partialDecoder('changes', { colour }), {})).to.deep.equal(right({}))
  })
})
