import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { snippetOf } from '../../support/http/representations.js'
import { snippetText } from '../../support/http/wire.js'
import { bodyOf } from '../../support/samples.js'
import { type HostileRequest, hostileTable, row } from './hostile-table.js'

type Bytes = string | Uint8Array

/** A body with a title as raw JSON, because JSON.stringify cannot write it. */
const withTitle = (title: string): string => JSON.stringify(bodyOf({ title: 'RAW' })).replace('"RAW"', title)

/** A valid body with other members first. */
const withFirst = (members: string): string => `{${members},${snippetText.slice(1)}`

/** A valid body with these bytes as its title. */
const withBytes = (...bytes: readonly number[]): Buffer => {
  const [start = '', end = ''] = withTitle('"T"').split('T')
  return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
}

const byteByByte = (body: Bytes): readonly Buffer[] => [...Buffer.from(body)].map(byte => Buffer.from([byte]))

/** A rejected row. Creations and merge patches have the same rules for bodies. */
const rejected = (what: string, body: Bytes, names: readonly string[] = ['body']): HostileRequest =>
  row(400, 'PATCH /api/snippets-viewset/{id}/', { what: `a PATCH with ${what}`, body, names })

const accepted = (what: string, body: Bytes, title = 't'): HostileRequest =>
  row(201, 'POST /api/snippets/', {
    what: `a POST of ${what}`,
    body,
    also: response => expect(snippetOf(response).title).to.equal(title),
  })

hostileTable('hostile titles', [
  ...['0', '1e400', '["x"]', '{"$ne":""}', '{"toString":"x"}', '"\\udc00"', '"\\udc00\\ud800"'].map(title =>
    rejected(`the title ${title}`, withTitle(title), ['title']),
  ),
  rejected('a title nested 5,000 deep', withTitle('['.repeat(5000) + ']'.repeat(5000)), ['title']),
  accepted('an escaped surrogate pair', withTitle('"\\ud83d\\ude00"'), '😀'),
  accepted('an escaped NUL', withTitle('"\\u0000"'), '\0'),
])

hostileTable('bodies that are not a JSON object', [
  ...['null', '[]', `[${snippetText}]`, `${snippetText}x`, `${snippetText}\0`, snippetText + snippetText].map(body =>
    rejected(JSON.stringify(body), body),
  ),
  rejected('an object truncated inside a string', snippetText.slice(0, 12)),
  rejected('UTF-16', Buffer.from(`\ufeff${snippetText}`, 'utf16le')),
  rejected('an array nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)),
  rejected('30,000 nested objects that never close', '{"a":'.repeat(30_000)),
])

hostileTable('bodies that are not UTF-8', [
  rejected('a stray continuation byte', withBytes(0x80)),
  rejected('a code point above U+10FFFF', withBytes(0xf4, 0x90, 0x80, 0x80)),
  rejected('Latin-1', withBytes(0xe9)),
  rejected('a bad byte in an ignored value', Buffer.from(withFirst('"x":"\xff"'), 'latin1')),
  rejected('a bad byte at the start', Buffer.from(`\xff${snippetText}`, 'latin1')),
  rejected('half a character at the end', Buffer.from(`${snippetText}\xf0\x9f`, 'latin1')),
  row(400, 'POST /api/snippets/', {
    what: 'a truncated emoji, byte by byte',
    chunks: byteByByte(withBytes(0xf0, 0x9f, 0x98)),
    names: ['body'],
  }),
  row(201, 'POST /api/snippets/', {
    what: 'an emoji, byte by byte',
    chunks: byteByByte(withTitle('"😀é"')),
    also: response => expect(snippetOf(response).title).to.equal('😀é'),
  }),
])

const limit = 262_144
const padded = (size: number): string => snippetText.padEnd(size)
const inPieces = (body: string): readonly string[] => body.match(/.{1,9999}/gs) ?? []

hostileTable('large bodies', [
  row(201, 'POST /api/snippets/', { what: '256 KiB in chunks', chunks: inPieces(padded(limit)) }),
  row(413, 'POST /api/snippets/', { what: '256 KiB and one byte in chunks', chunks: inPieces(padded(limit + 1)) }),
  row(413, 'PATCH /api/snippets-viewset/{id}/', {
    what: '256 KiB and one byte in one chunk',
    chunks: [padded(limit + 1)],
  }),
  row(413, 'POST /api/snippets/', {
    what: '140,000 characters of 2 bytes',
    body: withFirst(`"x":"${'é'.repeat(140_000)}"`),
  }),
  row(413, 'POST /api/snippets/', { what: '8 MiB', body: padded(32 * limit), connection: 'may be reset' }),
  row(413, 'POST /api/snippets/', {
    what: '2 MiB in chunks',
    chunks: inPieces(padded(8 * limit)),
    connection: 'may be reset',
  }),
])

const long = 'Q'.repeat(5000)

hostileTable('odd JSON objects', [
  row(201, 'POST /api/snippets/', {
    what: '__proto__ beside the fields',
    body: withFirst('"__proto__":{"polluted":1}'),
    also: () => expect('polluted' in {}).to.equal(false),
  }),
  rejected('the fields inside __proto__', `{"title":1,"__proto__":${snippetText}}`, ['title']),
  row(400, 'POST /api/snippets/', { body: `{"__proto__":${snippetText}}`, names: contentFieldNames }),
  row(400, 'POST /api/snippets/', {
    body: snippetText.replace('title', 'Title').replace('code', 'code '),
    names: ['title', 'code'],
  }),
  rejected('long texts', JSON.stringify(bodyOf({ title: long, language: long, [long]: long })), ['title', 'language']),
  row(400, 'POST /api/snippets/', { body: snippetText.replace('title', `title${long}`), names: ['title'] }),
  accepted('toString and an empty key', withFirst('"toString":1,"hasOwnProperty":1,"":1')),
  accepted('an unknown field nested 5,000 deep', withFirst(`"x":${'['.repeat(5000)}${']'.repeat(5000)}`)),
  accepted('id, version and created_at of the wrong types', withFirst('"id":{"$gt":0},"version":-1,"created_at":[]')),
  accepted('a byte order mark, which a parser may ignore (RFC 8259, 8.1)', `\ufeff${snippetText}`),
])
