import { type Filter, matcherOfFilter, parseSearch } from '@snippets/domain/queries/filter.js'
import { expect } from 'chai'
import { left, right } from 'fp-ts/lib/Either.js'
import { none, some, toUndefined } from 'fp-ts/lib/Option.js'
import { draft, must } from '../support/snippets.js'

describe('A search', () => {
  for (const [text, terms] of [
    ['  one\ttwo\n', ['one', 'two']],
    ['one\u00a0two\u3000three', ['one', 'two', 'three']],
    ['"one two" three', ['one two', 'three']],
    ['"one""two"three', ['one', 'two', 'three']],
    ['" "', [' ']],
    ['"" one', ['one']],
    ['"', ['"']],
    ['one "two three', ['one', '"two', 'three']],
    ['"one" "two', ['one', '"two']],
    ['print("one")', ['print("one")']],
    ["'one two' a,b", ["'one", "two'", 'a,b']],
    ['1 2 3 4 5 6 7 8 ""', ['1', '2', '3', '4', '5', '6', '7', '8']],
    ['😀'.repeat(200), ['😀'.repeat(200)]],
  ] as const)
    it(`has the terms ${JSON.stringify(terms).slice(0, 40)} in ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(parseSearch(text)).to.deep.equal(right(some(terms)))
    })

  it('parses to None without a term', () => {
    for (const text of ['', '\t\n ', ' "" "" ']) expect(parseSearch(text)).to.deep.equal(right(none))
  })

  const tooMany = { code: 'search', message: 'search must have at most 8 terms' }
  const tooLong = { code: 'length', message: 'search must be at most 200 characters' }
  for (const [text, reason] of [
    ['1 2 3 4 5 6 7 8 9', tooMany],
    ['a'.repeat(201), tooLong],
    ['😀'.repeat(201), tooLong],
  ] as const)
    it(`is rejected for ${JSON.stringify(text.slice(0, 40))}: ${reason.message}`, () => {
      expect(parseSearch(text)).to.deep.equal(left(reason))
    })
})

describe('A filter', () => {
  const content = draft({ title: 'one', code: 'two three', language: 'go' })
  const rows: readonly (readonly [boolean, Filter, string])[] = [
    [true, {}, ''],
    [true, { language: 'go' }, ''],
    [true, { title: 'one', language: 'go' }, 'ONE three'],
    [false, { language: 'c' }, ''],
    [false, { title: 'two', language: 'go' }, ''],
    [false, { language: 'c' }, 'two'],
    [false, { language: 'go' }, 'two four'],
    [false, {}, 'go'],
  ]
  for (const [isMatch, texts, terms] of rows)
    it(`with ${JSON.stringify({ ...texts, terms })} ${isMatch ? 'matches' : 'does not match'} the snippet`, () => {
      const search = toUndefined(must(parseSearch(terms)))
      expect(matcherOfFilter({ ...texts, ...(search && { search }) })(content)).to.equal(isMatch)
    })
})
