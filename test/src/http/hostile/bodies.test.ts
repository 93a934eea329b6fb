import { hostileTable, inBothFamilies, type Row, validBody } from './hostile-table.js'
import { after, fields, withValue } from './raw-bodies.js'

const bounds = { title: 100, code: 10_000, language: 50 } as const

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

type Value = Readonly<{ what: string; value: string; isValid: boolean; names?: readonly string[] }>

/** `names` is what the problem names where that is not the field. */
const valuesOf = (field: keyof typeof bounds): readonly Value[] => {
  const max = bounds[field]
  const valid = (what: string, value: string): Value => ({ what, value, isValid: true })
  const invalid = (what: string, value: string): Value => ({ what, value, isValid: false })
  const brokenJson = (what: string, value: string): Value => ({ ...invalid(what, value), names: ['body'] })
  return [
    ...oddValues.map(value => invalid(`${value} as ${field}`, value)),
    invalid(`an empty ${field}`, '""'),
    valid(`a 1-character ${field}`, text(1)),
    valid(`a 1-emoji ${field}`, text(1, '😀')),
    valid(`a ${max}-character ${field}`, text(max)),
    valid(`a ${max}-emoji ${field}`, text(max, '😀')),
    invalid(`a ${max + 1}-character ${field}`, text(max + 1)),
    invalid(`a ${max + 1}-emoji ${field}`, text(max + 1, '😀')),
    invalid(`a lone high surrogate in ${field}`, '"a\\ud800b"'),
    invalid(`a lone low surrogate in ${field}`, '"\\udc00"'),
    invalid(`swapped surrogates in ${field}`, '"\\udc00\\ud800"'),
    valid(`an escaped surrogate pair in ${field}`, '"\\ud83d\\ude00"'),
    valid(`an escaped NUL in ${field}`, '"\\u0000"'),
    brokenJson(`a raw control character in ${field}`, '"a\u0001b"'),
    brokenJson(`an unknown escape in ${field}`, '"\\x41"'),
  ]
}

const fieldRows = (method: string, target: string, accepted: number): readonly Row[] =>
  fields.flatMap(field =>
    valuesOf(field).map(({ what, value, isValid, names = [field] }) => ({
      what: `${method} ${target} with ${what}`,
      method,
      target,
      body: withValue(field, value),
      status: isValid ? accepted : 400,
      ...(!isValid && { names }),
    })),
  )

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
  'no content': '',
  whitespace: ' \t\r\n',
  null: 'null',
  true: 'true',
  'a number': '1',
  'a string': '"x"',
  'an empty array': '[]',
  'an array of a valid object': `[${validBody}]`,
  'a truncated object': validBody.slice(0, -1),
  'an object truncated inside a string': validBody.slice(0, 12),
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
  'an object with trailing garbage': `${validBody}x`,
  'an object with a trailing NUL': `${validBody}\u0000`,
  'a form': 'title=t&code=c&language=l',
  'a form that holds an operator': 'title[$ne]=1',
  XML: '<title>t</title>',
  'UTF-16': Buffer.from(validBody, 'utf16le'),
  'UTF-16 with a byte order mark': Buffer.from(`\ufeff${validBody}`, 'utf16le'),
  'an array nested 100,000 deep': '['.repeat(100_000) + ']'.repeat(100_000),
  '200,000 opening brackets': '['.repeat(200_000),
  '30,000 nested objects that never close': '{"a":'.repeat(30_000),
  '100 zero bytes': Buffer.alloc(100),
}

const notObjectRows = (method: string, target: string): readonly Row[] =>
  Object.entries(notObjects).map(([what, body]) => ({
    what: `${method} ${target} with ${what}`,
    method,
    target,
    body,
    status: 400,
  }))

/** A valid body with these bytes as its title. */
const withBytes = (...bytes: readonly number[]): Buffer => {
  const [start = '', end = ''] = '{"title":"T","code":"c","language":"l"}'.split('T')
  return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
}

const badUtf8: Readonly<Record<string, Buffer>> = {
  'a stray continuation byte': withBytes(0x80),
  'a byte that never occurs in UTF-8': withBytes(0xff),
  'a truncated two-byte character': withBytes(0xc3),
  'a truncated emoji': withBytes(0xf0, 0x9f, 0x98),
  'an overlong encoding of a slash': withBytes(0xc0, 0xaf),
  'an encoded lone surrogate': withBytes(0xed, 0xa0, 0x80),
  'a code point above U+10FFFF': withBytes(0xf4, 0x90, 0x80, 0x80),
  'Latin-1': withBytes(0xe9),
  'a bad byte in an ignored key': Buffer.concat([
    Buffer.from('{"'),
    Buffer.from([0xff]),
    Buffer.from(`":1,${validBody.slice(1)}`),
  ]),
  'a bad byte in an ignored value': Buffer.concat([
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
      what: `${method} ${target} with ${what}, sent byte by byte`,
      method,
      target,
      chunks: [...body].map(byte => Buffer.from([byte])),
      status: 400,
    },
  ])

const limit = 262_144
const padded = (size: number): string => validBody + ' '.repeat(size - validBody.length)
const inChunks = (body: string, size: number): readonly string[] =>
  Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.slice(i * size, (i + 1) * size))

const tooLarge = { status: 413, connection: 'may close' } as const
const farTooLarge = { status: 413, connection: 'may be reset' } as const

const sizes = (method: string, target: string, accepted: number): readonly Row[] => {
  const bytes = (what: string, body: string) => ({ what: `${method} ${target} with ${what}`, method, target, body })
  const chunked = (what: string, ...chunks: readonly string[]) => ({
    what: `${method} ${target} with ${what}`,
    method,
    target,
    chunks,
  })
  return [
    { ...bytes('256 KiB', padded(limit)), status: accepted },
    { ...bytes('256 KiB less one byte', padded(limit - 1)), status: accepted },
    { ...bytes('256 KiB and one byte', padded(limit + 1)), ...tooLarge },
    { ...chunked('256 KiB in one chunk', padded(limit)), status: accepted },
    { ...chunked('256 KiB in chunks', ...inChunks(padded(limit), 9999)), status: accepted },
    { ...chunked('256 KiB and one byte in one chunk', padded(limit + 1)), ...tooLarge },
    { ...chunked('256 KiB and one byte in chunks', ...inChunks(padded(limit + 1), 9999)), ...tooLarge },
    { ...bytes('300 KiB', padded(300 * 1024)), ...tooLarge },
    { ...bytes('8 MiB', padded(8 * 1024 * 1024)), ...farTooLarge },
    { ...chunked('8 MiB in chunks', ...inChunks(padded(8 * 1024 * 1024), 65_536)), ...farTooLarge },
    { ...bytes('280,000 bytes in 140,000 characters', after(`"x":"${'é'.repeat(140_000)}"`)), ...tooLarge },
  ]
}

hostileTable('hostile field values', [
  ...inBothFamilies(path => fieldRows('POST', path, 201)),
  ...inBothFamilies(path => missing('POST', path)),
  ...inBothFamilies(path => missing('PUT', `${path}{id}/`)),
  ...fieldRows('PUT', '/api/snippets/{id}/', 200),
  ...fieldRows('PATCH', '/api/snippets-viewset/{id}/', 200),
])

hostileTable('bodies that are not a JSON object', [
  ...inBothFamilies(path => notObjectRows('POST', path)),
  ...inBothFamilies(path => notObjectRows('PUT', `${path}{id}/`)),
  ...notObjectRows('PATCH', '/api/snippets-viewset/{id}/'),
])

hostileTable('bodies that are not UTF-8', [
  ...inBothFamilies(path => utf8Rows('POST', path)),
  ...utf8Rows('PUT', '/api/snippets/{id}/'),
  ...utf8Rows('PATCH', '/api/snippets-viewset/{id}/'),
])

hostileTable('large bodies', [
  ...inBothFamilies(path => sizes('POST', path, 201)),
  ...inBothFamilies(path => sizes('PUT', `${path}{id}/`, 200)),
  ...sizes('PATCH', '/api/snippets-viewset/{id}/', 200),
])
