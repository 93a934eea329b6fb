import { expect } from 'chai'
import { snippetOf } from '../../support/http/representations.js'
import { hostileTable, inBothFamilies, type Row, validBody } from './hostile-table.js'
import { after, fields, withValue } from './raw-bodies.js'

const bytesOfEmoji = [...Buffer.from(withValue('title', '"😀é"'))].map(byte => Buffer.from([byte]))

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const largeField = `"large":"${'x'.repeat(20_000)}"`

const nestedObjects = `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`

const unknownFields = (count: number): string => Array.from({ length: count }, (_, i) => `"a${i}":1`).join()

const acceptedObjects: Readonly<Record<string, string>> = {
  '__proto__ beside the fields': after('"__proto__":{"polluted":1}'),
  'a null __proto__ beside the fields': after('"__proto__":null'),
  'toString and hasOwnProperty beside the fields': after('"toString":1,"hasOwnProperty":1'),
  'an empty key': after('"":1'),
  'a small unknown field nested 5,000 deep': after(`"x":${deep(5000)}`),
  'an unknown field nested 65 deep in a large body': after(`"x":${deep(64)},${largeField}`),
  'thousands of arrays side by side': after(`"x":[${Array(3000).fill('[{}]').join()}]`),
  '9,000 numbers': after(`"x":[${Array(9000).fill(0).join()}]`),
  'brackets and commas in a large text': after(`"x":"${'\\\\[,\\"{'.repeat(20_000)}"`),
  '10,001 fields': after(unknownFields(9998)),
  'more than 10,000 values in small arrays': after(`"x":[${Array(3400).fill('[0,0]').join()}]`),
  'more than 10,000 objects of one field': after(`"x":[${Array(170).fill(nestedObjects).join()}]`),
  'id and created_at': after('"id":99999,"created_at":"2000-01-01T00:00:00.000Z"'),
  'id and created_at of the wrong types': after('"id":{"$gt":0},"created_at":[]'),
  'an id beyond the safe integers': after('"id":9007199254740993'),
  'version and _id': after('"version":-1,"_id":0'),
  'whitespace everywhere': validBody.replace(/[{}:,]/g, ' \r\n\t$& '),
  'a leading byte order mark, which a parser may ignore (RFC 8259, 8.1)': `\ufeff${validBody}`,
  'escaped keys': '{"\\u0074itle":"t","code":"c","language":"l"}',
  'a number that overflows to Infinity': after('"x":1e999999'),
}

type Rejected = readonly [what: string, body: string, names: readonly string[]]

const rejectedObjects: readonly Rejected[] = [
  ['the fields inside __proto__', `{"__proto__":${validBody}}`, fields],
  ['the fields inside constructor.prototype', `{"constructor":{"prototype":${validBody}}}`, fields],
  ['keys in the wrong case', '{"Title":"t","CODE":"c","language":"l"}', ['title', 'code']],
  ['spaces in keys', '{" title":"t","code ":"c","language":"l"}', ['title', 'code']],
  ['a small title nested 5,000 deep', withValue('title', deep(5000)), ['title']],
  ['a title nested 100,000 deep', withValue('title', deep(100_000)), ['title']],
  ['objects nested 20,000 deep', '{"a":'.repeat(20_000), ['body']],
  ['100,000 arrays that never end', '['.repeat(100_000), ['body']],
]

const oddObjects = (method: string, target: string, accepted: number): readonly Row[] => {
  const request = (what: string) => ({ what: `${method} ${target} with ${what}`, method, target })
  return [
    ...Object.entries(acceptedObjects).map(([what, body]) => ({ ...request(what), body, status: accepted })),
    ...rejectedObjects.map(([what, body, names]) => ({
      ...request(what),
      body,
      names,
      status: 400,
    })),
    {
      ...request('a duplicate key, of which the last counts'),
      body: after('"title":"first"'),
      status: accepted,
      also: answer => expect(snippetOf(answer).title).to.equal('t'),
    },
    {
      ...request('multi-byte characters sent byte by byte'),
      chunks: bytesOfEmoji,
      status: accepted,
      also: answer => expect(snippetOf(answer).title).to.equal('😀é'),
    },
  ]
}

hostileTable('odd JSON objects', [
  ...inBothFamilies(path => oddObjects('POST', path, 201)),
  ...inBothFamilies(path => oddObjects('PUT', `${path}{id}/`, 200)),
])

describe('Object.prototype', () => {
  it('is not polluted by any body', () => {
    expect(Object.keys(Object.prototype)).to.deep.equal([])
    expect('polluted' in {}).to.equal(false)
    expect('title' in {}).to.equal(false)
  })
})
