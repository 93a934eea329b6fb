import { toJson } from '@snippets/domain/values/id.js'
import { expect } from 'chai'

describe('JSON text', () => {
  it('has bigints as texts, and everything else as JSON.stringify has it', () => {
    const value = { b: ['\ud83d', '"\n', 1.5, null, undefined], a: undefined, date: new Date(0) }
    expect(toJson(value)).to.equal(JSON.stringify(value))
    expect(toJson([value, { large: 2n ** 63n - 1n }])).to.equal(
      `[${JSON.stringify(value)},{"large":"9223372036854775807"}]`,
    )
    expect(toJson(5n)).to.equal('"5"')
  })
})
