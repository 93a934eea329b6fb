import { GrowingBytes } from '@snippets/adapters-http/request/growing-bytes.js'
import { expect } from 'chai'

describe('GrowingBytes', () => {
  const most = 50_000
  const filled = (...lengths: readonly number[]) => {
    const bytes = new GrowingBytes(most)
    const expected = lengths.map((length, i) => Buffer.alloc(length, i + 1))
    for (const piece of expected) bytes.add(piece)
    return { bytes, expected: Buffer.concat(expected) }
  }

  for (const lengths of [[1], [1, 16_383, 1], [16_384, 16_384], [40_000, 1, 9_999], [most]])
    it(`keeps pieces of ${lengths.join(', ')} in order`, () => {
      const { bytes, expected } = filled(...lengths)
      expect(bytes.all().equals(expected)).to.equal(true)
    })

  it('gives its memory back before garbage is collected', () => {
    const { bytes } = filled(10_000)
    const all = bytes.all()
    bytes.free()
    expect(all.buffer.byteLength).to.equal(0)
  })
})
