import { limits, textFields } from '@snippets/domain/rules.js'
import { parseText } from '@snippets/domain/text.js'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'

const lengthMessages = {
  title: 'title must be between 1 and 100 characters',
  code: 'code must be between 1 and 10000 characters',
  language: 'language must be between 1 and 50 characters',
}

for (const field of textFields) {
  const { max } = limits[field]
  const length = left({ field, code: 'length', message: lengthMessages[field] })

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
        const parse = (count: number) => parseText(field)(character.repeat(count))
        for (const count of [1, 2, Math.ceil(max / 2), max - 1, max]) {
          expect(parse(count), `${count}`).to.deep.equal(right(character.repeat(count)))
        }
        for (const count of [0, max + 1, max * 2, max * 2 + 1, max * 10]) {
          expect(parse(count), `${count}`).to.deep.equal(length)
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
        expect(parseText(field)(text)).to.deep.equal(ok ? right(text) : length)
      }
    })

    it('is kept unchanged', () => {
      fc.assert(
        fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: max }), text => {
          expect(parseText(field)(text)).to.deep.equal(right(text))
        }),
      )
      for (const text of [' a ', '\ufeff', 'e\u0301', '\r\n', 'ﬀ'])
        expect(parseText(field)(text)).to.deep.equal(right(text))
    })

    it('must not contain a lone surrogate', () => {
      const message = `${field} must not contain a lone surrogate`
      for (const text of ['\ud83d', '\ude00', 'a\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00', '😀\udfff']) {
        expect(parseText(field)(text)).to.deep.equal(left({ field, code: 'encoding', message }))
      }
    })

    it('is required', () => {
      expect(parseText(field)(undefined)).to.deep.equal(
        left({ field, code: 'required', message: `${field} is required` }),
      )
    })

    it('must be a string, not a value that converts to one', () => {
      for (const value of [null, 1, 0, true, ['x'], {}, { length: 1 }, Object('x'), () => 'x', Symbol('x'), 1n]) {
        expect(parseText(field)(value)).to.deep.equal(
          left({ field, code: 'type', message: `${field} must be a string` }),
        )
      }
    })
  })
}
