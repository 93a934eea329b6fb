import { faultsOf } from '@snippets/domain/codec.js'
import { contentFieldNames, contentFields } from '@snippets/domain/snippet.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'

const lengthMessages = {
  title: 'title must be between 1 and 100 characters',
  code: 'code must be between 1 and 10000 characters',
  language: 'language must be between 1 and 50 characters',
}

for (const field of contentFieldNames) {
  const { max } = contentFields[field].limits
  const parse = (value: unknown) => {
    const parsed = contentFields[field].decode(value)
    return isLeft(parsed) ? left(faultsOf(parsed.left)) : parsed
  }
  const fault = (code: string, message: string) => left([{ name: '', code, message }])
  const length = fault('length', lengthMessages[field])

  describe(`The text of ${field}`, () => {
    for (const [name, character] of Object.entries({
      letters: 'x',
      'two-byte letters': 'é',
      'three-byte letters': '€',
      emoji: '😀',
      'combining marks': '\u0301',
      spaces: ' ',
      NULs: '\u0000',
    })) {
      it(`may have 1 to ${max} ${name}`, () => {
        for (const count of [1, 2, Math.ceil(max / 2), max - 1, max]) {
          expect(parse(character.repeat(count)), `${count}`).to.deep.equal(right(character.repeat(count)))
        }
        for (const count of [0, max + 1, max * 2, max * 2 + 1, max * 10]) {
          expect(parse(character.repeat(count)), `${count}`).to.deep.equal(length)
        }
      })
    }

    it('is counted in code points, wherever the surrogate pairs are', () => {
      for (const [text, ok] of [
        [`😀${'x'.repeat(max - 1)}`, true],
        [`${'x'.repeat(max - 1)}😀`, true],
        [`😀${'x'.repeat(max)}`, false],
        [`${'x'.repeat(max)}😀`, false],
        [`${'😀'.repeat(max - 1)}x`, true],
        [`${'😀'.repeat(max)}x`, false],
      ] as const) {
        expect(parse(text)).to.deep.equal(ok ? right(text) : length)
      }
    })

    it('is kept unchanged', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: max }), text => {
          expect(parse(text)).to.deep.equal(right(text))
        }),
      )
      for (const text of [' a ', '\ufeff', 'e\u0301', '\r\n', 'ﬀ']) expect(parse(text)).to.deep.equal(right(text))
    })

    it('must not contain a lone surrogate', () => {
      const message = `${field} must not contain a lone surrogate`
      for (const text of ['\ud83d', '\ude00', 'a\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00', '😀\udfff']) {
        expect(parse(text)).to.deep.equal(fault('encoding', message))
      }
    })

    it('is required', () => {
      expect(parse(undefined)).to.deep.equal(fault('required', `${field} is required`))
    })

    it('must be a string, not a value that converts to one', () => {
      for (const value of [null, 1, 0, true, ['x'], {}, { length: 1 }, Object('x'), () => 'x', Symbol('x'), 1n]) {
        expect(parse(value)).to.deep.equal(fault('type', `${field} must be a string`))
      }
    })
  })
}
