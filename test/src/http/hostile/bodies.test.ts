import { expect } from 'chai'
import { snippetOf } from '../../support/http/representations.js'
import { hostileTable, inBothFamilies, type Row, validBody } from './hostile-table.js'

const bounds = { title: 100, code: 10_000, language: 50 } as const
const fields = ['title', 'code', 'language'] as const

/** JSON in which one value is written as the row wants it, since JSON.stringify would not. */
const withValue = (field: string, value: string): string => {
  const others = fields.filter(name => name !== field).map(name => `"${name}":"x"`)
  return `{${[`"${field}":${value}`, ...others].join(',')}}`
}

const text = (length: number, character = 'x'): string => JSON.stringify(character.repeat(length))

const oddValues = [
  'null',
  'true',
  'false',
  '0',
  '1',
  '-1',
  '1.5',
  '1e400',
  '[]',
  '["x"]',
  '{}',
  '{"$ne":""}',
  '{"toString":"x"}',
  '[[[[]]]]',
]

const fieldRows = (method: string, target: string, accepted: number): readonly Row[] =>
  fields.flatMap(field => {
    const max = bounds[field]
    const row = (what: string, value: string, status: number): Row => ({
      what: `${method} ${target} with a ${field} ${what}`,
      method,
      target,
      body: withValue(field, value),
      status,
      ...(status === 400 && { names: [field] }),
    })
    return [
      ...oddValues.map(value => row(`of ${value}`, value, 400)),
      row('of no length', '""', 400),
      row('of one character', text(1), accepted),
      row('of one character outside the basic plane', text(1, '😀'), accepted),
      row(`of ${max}`, text(max), accepted),
      row(`of ${max} outside the basic plane`, text(max, '😀'), accepted),
      row(`of ${max + 1}`, text(max + 1), 400),
      row(`of ${max + 1} outside the basic plane`, text(max + 1, '😀'), 400),
      row('with a lone high surrogate', '"a\\ud800b"', 400),
      row('with a lone low surrogate', '"\\udc00"', 400),
      row('with its surrogates the wrong way round', '"\\udc00\\ud800"', 400),
      row('with an escaped pair of surrogates', '"\\ud83d\\ude00"', accepted),
      row('of NUL', '"\\u0000"', accepted),
      row('with a raw control character', '"a\u0001b"', 400),
      row('with a bad escape', '"\\x41"', 400),
    ].map(made =>
      made.status === 400 && /raw control|bad escape/.test(made.what) ? { ...made, names: ['body'] } : made,
    )
  })

const missing = (method: string, target: string): readonly Row[] =>
  fields.map(field => ({
    what: `${method} ${target} without ${field}`,
    method,
    target,
    body: JSON.stringify(Object.fromEntries(fields.filter(name => name !== field).map(name => [name, 'x']))),
    status: 400,
    names: [field],
  }))

const notObjects: Readonly<Record<string, string | Uint8Array>> = {
  nothing: '',
  'white space': ' \t\r\n',
  null: 'null',
  true: 'true',
  'a number': '1',
  'a text': '"x"',
  'an empty list': '[]',
  'a list of what would be valid': `[${validBody}]`,
  'a truncated object': validBody.slice(0, -1),
  'an object truncated within a text': validBody.slice(0, 12),
  'an opening brace': '{',
  'a trailing comma': `${validBody.slice(0, -1)},}`,
  'a missing comma': '{"title":"t" "code":"c","language":"l"}',
  'single quotes': validBody.replaceAll('"', "'"),
  'keys without quotes': '{title:"t",code:"c",language:"l"}',
  NaN: withValue('title', 'NaN'),
  Infinity: withValue('title', '-Infinity'),
  undefined: withValue('title', 'undefined'),
  'a hexadecimal number': withValue('title', '0x10'),
  'a number with a leading zero': withValue('extra', '01'),
  'a comment': `/* x */${validBody}`,
  'two objects': validBody + validBody,
  'an object and something after it': `${validBody}x`,
  'an object and a NUL after it': `${validBody}\u0000`,
  'a form': 'title=t&code=c&language=l',
  'a form with an operator': 'title[$ne]=1',
  XML: '<title>t</title>',
  'UTF-16': Buffer.from(validBody, 'utf16le'),
  'UTF-16 with a byte order mark': Buffer.from(`\ufeff${validBody}`, 'utf16le'),
  'a list nested 100,000 deep': '['.repeat(100_000) + ']'.repeat(100_000),
  'a list opened 200,000 times': '['.repeat(200_000),
  'an object nested 30,000 deep and broken': '{"a":'.repeat(30_000),
  'binary zeros': Buffer.alloc(100),
}

const notObjectRows = (method: string, target: string): readonly Row[] =>
  Object.entries(notObjects).map(([what, body]) => ({
    what: `${method} ${target} with ${what} for a body`,
    method,
    target,
    body,
    status: 400,
  }))

/** The valid body with bytes put in at the place of the T of its title. */
const withBytes = (...bytes: readonly number[]): Buffer => {
  const [start = '', end = ''] = '{"title":"T","code":"c","language":"l"}'.split('T')
  return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
}

const badUtf8: Readonly<Record<string, Buffer>> = {
  'a stray continuation byte': withBytes(0x80),
  'a byte that never occurs': withBytes(0xff),
  'an unfinished letter': withBytes(0xc3),
  'an unfinished emoji': withBytes(0xf0, 0x9f, 0x98),
  'an overlong slash': withBytes(0xc0, 0xaf),
  'half of a surrogate pair': withBytes(0xed, 0xa0, 0x80),
  'a code point past U+10FFFF': withBytes(0xf4, 0x90, 0x80, 0x80),
  'Latin-1': withBytes(0xe9),
  'a bad byte in a key that is ignored': Buffer.concat([
    Buffer.from('{"'),
    Buffer.from([0xff]),
    Buffer.from(`":1,${validBody.slice(1)}`),
  ]),
  'a bad byte in a value that is ignored': Buffer.concat([
    Buffer.from('{"x":"'),
    Buffer.from([0xff]),
    Buffer.from(`",${validBody.slice(1)}`),
  ]),
  'a bad byte at the start': Buffer.concat([Buffer.from([0xff]), Buffer.from(validBody)]),
  'a bad byte at the end': Buffer.concat([Buffer.from(validBody), Buffer.from([0x80])]),
}

const utf8Rows = (method: string, target: string): readonly Row[] =>
  Object.entries(badUtf8).flatMap(([what, body]) => [
    { what: `${method} ${target} with ${what}`, method, target, body, status: 400 },
    {
      what: `${method} ${target} with ${what}, a byte at a time`,
      method,
      target,
      chunks: [...body].map(byte => Buffer.from([byte])),
      status: 400,
    },
  ])

const bytesOfEmoji = [...Buffer.from(withValue('title', '"😀é"'))].map(byte => Buffer.from([byte]))

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

/** Objects that are good, or nearly, though they look dangerous. */
const oddObjects = (method: string, target: string, accepted: number): readonly Row[] => {
  const row = (what: string, body: string, status: number, names?: readonly string[]): Row => ({
    what: `${method} ${target} with ${what}`,
    method,
    target,
    body,
    status,
    ...(names && { names }),
  })
  return [
    row('__proto__ that has the fields', `{"__proto__":${validBody}}`, 400, fields),
    row('constructor.prototype that has the fields', `{"constructor":{"prototype":${validBody}}}`, 400, fields),
    row('__proto__ beside the fields', `{"__proto__":{"polluted":1},${validBody.slice(1)}`, accepted),
    row('__proto__ of null beside the fields', `{"__proto__":null,${validBody.slice(1)}`, accepted),
    row(
      'toString and hasOwnProperty beside the fields',
      `{"toString":1,"hasOwnProperty":1,${validBody.slice(1)}`,
      accepted,
    ),
    row('an empty key', `{"":1,${validBody.slice(1)}`, accepted),
    row('keys that differ in case only', '{"Title":"t","CODE":"c","language":"l"}', 400, ['title', 'code']),
    row('keys with spaces', '{" title":"t","code ":"c","language":"l"}', 400, ['title', 'code']),
    row('an unknown field nested 100,000 deep', `{"x":${deep(100_000)},${validBody.slice(1)}`, accepted),
    row('a title nested 100,000 deep', withValue('title', deep(100_000)), 400, ['title']),
    row(
      '20,000 unknown fields',
      `{${Array.from({ length: 20_000 }, (_, i) => `"a${i}":1`).join()},${validBody.slice(1)}`,
      accepted,
    ),
    row('id and created_at', `{"id":99999,"created_at":"2000-01-01T00:00:00.000Z",${validBody.slice(1)}`, accepted),
    row('id and created_at of wrong types', `{"id":{"$gt":0},"created_at":[],${validBody.slice(1)}`, accepted),
    row('an id too large to be exact', `{"id":9007199254740993,${validBody.slice(1)}`, accepted),
    row('version and _id', `{"version":-1,"_id":0,${validBody.slice(1)}`, accepted),
    row('white space around everything', validBody.replace(/[{}:,]/g, ' \r\n\t$& '), accepted),
    row('a byte order mark before it', `\ufeff${validBody}`, accepted),
    row('escaped keys', '{"\\u0074itle":"t","code":"c","language":"l"}', accepted),
    row('a number of a million digits’ worth', `{"x":1e999999,${validBody.slice(1)}`, accepted),
    {
      ...row('a field that comes twice', `{"title":"first",${validBody.slice(1)}`, accepted),
      also: answer => expect(snippetOf(answer).title).to.equal('t'),
    },
    {
      what: `${method} ${target} with letters of several bytes, a byte at a time`,
      method,
      target,
      chunks: bytesOfEmoji,
      status: accepted,
      also: answer => expect(snippetOf(answer).title).to.equal('😀é'),
    },
  ]
}

const limit = 262_144
const padded = (size: number): string => validBody + ' '.repeat(size - validBody.length)
const inChunks = (body: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.slice(i * size, (i + 1) * size))

const sizes = (method: string, target: string, accepted: number): readonly Row[] => {
  const what = `${method} ${target}`
  const tooLarge = { status: 413, connection: 'may close' } as const
  return [
    { what: `${what} of exactly 256 KiB`, method, target, body: padded(limit), status: accepted },
    { what: `${what} of 256 KiB less one`, method, target, body: padded(limit - 1), status: accepted },
    { what: `${what} of 256 KiB and one byte`, method, target, body: padded(limit + 1), ...tooLarge },
    { what: `${what} of exactly 256 KiB in one chunk`, method, target, chunks: [padded(limit)], status: accepted },
    {
      what: `${what} of exactly 256 KiB in chunks`,
      method,
      target,
      chunks: inChunks(padded(limit), 9999),
      status: accepted,
    },
    { what: `${what} of 256 KiB and one byte in one chunk`, method, target, chunks: [padded(limit + 1)], ...tooLarge },
    {
      what: `${what} of 256 KiB and one byte in chunks`,
      method,
      target,
      chunks: inChunks(padded(limit + 1), 9999),
      ...tooLarge,
    },
    { what: `${what} of 300 KiB`, method, target, body: padded(300 * 1024), ...tooLarge },
    {
      what: `${what} of 8 MiB`,
      method,
      target,
      body: padded(8 * 1024 * 1024),
      status: 413,
      connection: 'may be reset',
    },
    {
      what: `${what} of 8 MiB in chunks`,
      method,
      target,
      chunks: inChunks(padded(8 * 1024 * 1024), 65_536),
      status: 413,
      connection: 'may be reset',
    },
    {
      what: `${what} of 256 KiB in letters that are not counted by bytes`,
      method,
      target,
      body: `{"x":"${'é'.repeat(140_000)}",${validBody.slice(1)}`,
      ...tooLarge,
    },
  ]
}

hostileTable('a hostile value in a body', [
  ...inBothFamilies(path => fieldRows('POST', path, 201)),
  ...inBothFamilies(path => missing('POST', path)),
  ...inBothFamilies(path => missing('PUT', `${path}{id}/`)),
  ...fieldRows('PUT', '/api/snippets/{id}/', 200),
  ...fieldRows('PATCH', '/api/snippets-viewset/{id}/', 200),
])

hostileTable('a body that is no JSON object', [
  ...inBothFamilies(path => notObjectRows('POST', path)),
  ...inBothFamilies(path => notObjectRows('PUT', `${path}{id}/`)),
  ...notObjectRows('PATCH', '/api/snippets-viewset/{id}/'),
])

hostileTable('a body that is not UTF-8', [
  ...inBothFamilies(path => utf8Rows('POST', path)),
  ...utf8Rows('PUT', '/api/snippets/{id}/'),
  ...utf8Rows('PATCH', '/api/snippets-viewset/{id}/'),
])

hostileTable('an odd object', [
  ...inBothFamilies(path => oddObjects('POST', path, 201)),
  ...inBothFamilies(path => oddObjects('PUT', `${path}{id}/`, 200)),
])

hostileTable('a large body', [
  ...inBothFamilies(path => sizes('POST', path, 201)),
  ...inBothFamilies(path => sizes('PUT', `${path}{id}/`, 200)),
  ...sizes('PATCH', '/api/snippets-viewset/{id}/', 200),
])

describe('objects of this process', () => {
  it('were not touched by any body', () => {
    expect(Object.keys(Object.prototype)).to.deep.equal([])
    expect('polluted' in {}).to.equal(false)
    expect('title' in {}).to.equal(false)
  })
})
