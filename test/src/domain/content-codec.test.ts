import { faultsOf } from '@snippets/domain/codec.js'
import { contentCodec } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import { mapLeft, right } from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

const parse = (value: unknown) => pipe(contentCodec.decode(value), mapLeft(faultsOf))

describe('The codec of content', () => {
  it('drops every other field', () => {
    const content = { title: 't', code: 'c', language: 'l' }
    expect(parse({ ...content, id: 1, more: true })).to.deep.equal(right(content))
  })

  it('reports every fault with the name of its field, in the order of the fields', () => {
    expect(parse({ language: 7, code: '' })).to.have.deep.property('left', [
      { name: 'title', code: 'required', message: 'title is required' },
      { name: 'code', code: 'length', message: 'code must be between 1 and 10000 characters' },
      { name: 'language', code: 'type', message: 'language must be a string' },
    ])
  })

  for (const value of [undefined, null, 7, 'text', []])
    it(`reports a fault for ${JSON.stringify(value)}`, () => {
      expect(parse(value)).to.have.property('left').that.has.length.above(0)
    })
})
