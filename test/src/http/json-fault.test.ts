import { jsonFault } from '@snippets/adapters-http/request/json-fault.js'
import { expect } from 'chai'
import fc from 'fast-check'

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The text up to the fault. */
const before = (text: string): string | undefined => {
  const fault = jsonFault(text)
  if (fault === undefined) return undefined
  const lines = text.split(/(?<=\r\n|\r(?!\n)|\n)/)
  const line = [...(lines[fault.line - 1] ?? '')].slice(0, fault.column - 1).join('')
  return lines.slice(0, fault.line - 1).join('') + line
}

/** JSON with a character removed, added or replaced somewhere. */
const damaged = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.nat(),
    fc.constantFrom('', '"', '{', '}', '[', ']', ',', ':', '\\', '0', 'x', '\n'),
    fc.nat(1),
  )
  .map(([json, place, character, removed]) => {
    const at = place % (json.length + 1)
    return json.slice(0, at) + character + json.slice(at + removed)
  })

describe('jsonFault', () => {
  it('finds a fault exactly where JSON.parse refuses the text', () => {
    fc.assert(
      fc.property(fc.oneof(damaged, fc.json(), fc.string()), text => {
        expect(jsonFault(text) === undefined).to.equal(isJson(text))
      }),
      { numRuns: 2000 },
    )
  })

  it('finds the same fault whatever follows it', () => {
    fc.assert(
      fc.property(damaged, fc.string(), (text, rest) => {
        const fault = jsonFault(text)
        fc.pre(fault !== undefined && !fault.isAtEnd && !/[0-9.eE+-]$/.test(text))
        const longer = jsonFault(text + rest)
        expect([longer?.line, longer?.column]).to.deep.equal([fault?.line, fault?.column])
      }),
    )
  })

  for (const [text, good] of [
    ['', ''],
    [' \r\n\t', ' \r\n\t'],
    ['{"a":1,}', '{"a":1,'],
    ['{"a" 1}', '{"a" '],
    ['[1 2]', '[1 '],
    ['[,]', '['],
    ['{"a":1]', '{"a":1'],
    ['{"a":1}}', '{"a":1}'],
    ['{a:1}', '{'],
    ['tru', 'tru'],
    ['[true, nul]', '[true, nul'],
    ['falsy', 'fals'],
    ['yes', ''],
    ['[-]', '[-'],
    ['01', '0'],
    ['"a\\x41"', '"a\\'],
    ['"a\nb"', '"a'],
    ['"\\u12G4"', '"\\u12'],
    ['"\\u12', '"\\u12'],
    ['{"a":"b', '{"a":"b'],
    ['[1,\r\n2,\r3,\n4 5]', '[1,\r\n2,\r3,\n4 '],
    ['["😀" 1]', '["😀" '],
  ] as const)
    it(`finds the fault of ${JSON.stringify(text)}`, () => {
      expect(before(text)).to.equal(good)
      expect(jsonFault(text)?.isAtEnd).to.equal(good === text)
    })

  it('follows deep nesting', () => {
    expect(jsonFault('['.repeat(60_000))).to.deep.equal({ line: 1, column: 60_001, isAtEnd: true })
  })
})
