import { contentFieldNames, contentFields } from '@snippets/domain/entities/snippet.js'
import { reasonsOf } from '@snippets/domain/values/codec.js'
import { expect } from 'chai'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'

for (const field of contentFieldNames) {
  const { max } = contentFields[field].limits
  const parse = (value: unknown) => {
    const parsed = contentFields[field].decode(value)
    return isLeft(parsed) ? left(reasonsOf(parsed.left)) : parsed
  }
  const fault = (code: string, message: string) => left([{ name: '', code, message: `${field} ${message}` }])

  describe(`The text of ${field}`, () => {
    it('may have from 1 character to the maximum, counted in code points', () => {
      expect(max).to.equal({ title: 100, code: 10_000, language: 50 }[field])
      const most = 'x'.repeat(max - 1)
      const allowed = ['x', '😀', '\u0301', `${most}x`, `😀${most}`, '😀'.repeat(max)]
      for (const text of allowed) expect(parse(text)).to.deep.equal(right(text))
      for (const text of ['', `${most}xx`, `😀${most}x`, `${'😀'.repeat(max)}x`, 'x'.repeat(max * 10)])
        expect(parse(text)).to.deep.equal(fault('length', `must be between 1 and ${max} characters`))
    })

    it('must not contain a lone surrogate', () => {
      for (const text of ['\ud83d', '\ude00', 'a\ud83d', '\ude00\ud83d', '😀\udfff'])
        expect(parse(text)).to.deep.equal(fault('encoding', 'must not contain a lone surrogate'))
    })
  })
}
