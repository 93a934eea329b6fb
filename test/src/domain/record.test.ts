import { decodeRecord } from '@snippets/domain/values/record.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'

const number = (fallback: number | undefined) => ({
  decode: (text: string) => {
    if (text === '') return right(fallback)
    return /^\d+$/.test(text) ? right(Number(text)) : left(`${text} is no number`)
  },
})

describe('decodeRecord', () => {
  const decoders = { a: number(1), b: number(undefined) }

  it('decodes each text, and ignores unknown ones', () => {
    expect(decodeRecord(decoders, { a: '2', b: '3', c: '4' })).to.deep.equal(right({ a: 2, b: 3 }))
  })

  it('decodes a missing text as an empty one, and omits undefined values', () => {
    expect(decodeRecord(decoders, { b: undefined })).to.deep.equal(right({ a: 1 }))
  })

  it('returns every failure under its name', () => {
    expect(decodeRecord(decoders, { a: 'x', b: 'y' })).to.deep.equal(
      left([
        { name: 'a', reason: 'x is no number' },
        { name: 'b', reason: 'y is no number' },
      ]),
    )
  })
})
