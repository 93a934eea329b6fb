import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { snippetOf } from '../../support/http/representations.js'
import { snippetText } from '../../support/http/wire.js'
import { bodyOf } from '../../support/samples.js'
import { type Bytes, type HostileRequest, hostileTable, row } from './hostile-table.js'

/** A valid body with these characters as its title in raw JSON. */
const withTitle = (title: string): string => JSON.stringify(bodyOf({ title: 'RAW' })).replace('"RAW"', title)

/** A valid body with other members first. */
const withFirst = (members: string): string => `{${members},${snippetText.slice(1)}`

/** A rejected row. Creations and merge patches have the same rules for bodies. */
const rejected = (what: string, body: Bytes, names: readonly string[] = ['body']): HostileRequest =>
  row(400, 'PATCH /api/snippets-viewset/{id}/', { what: `a PATCH with ${what}`, body, names })

const accepted = (what: string, body: Bytes): HostileRequest =>
  row(201, 'POST /api/snippets/', {
    what: `a POST of ${what}`,
    body,
    also: response => expect(snippetOf(response).title).to.equal('t'),
  })

hostileTable('bodies that are not a JSON object', [
  ...['null', '[]', `${snippetText}x`, `${snippetText}\0`, snippetText + snippetText, snippetText.slice(0, 12)].map(
    body => rejected(JSON.stringify(body), body),
  ),
  rejected('an array nested 100,000 deep', '['.repeat(100_000) + ']'.repeat(100_000)),
  rejected('30,000 nested objects that never close', '{"a":'.repeat(30_000)),
])

hostileTable('bodies that are not UTF-8', [
  rejected('UTF-16', Buffer.from(`\ufeff${snippetText}`, 'utf16le')),
  rejected('Latin-1', Buffer.from(withTitle('"é"'), 'latin1')),
  rejected('a bad byte in an ignored value', Buffer.from(withFirst('"x":"\xff"'), 'latin1')),
  rejected('half a character at the end', Buffer.from(`${snippetText}\xf0\x9f`, 'latin1')),
  row(201, 'POST /api/snippets/', {
    what: 'an emoji, byte by byte',
    chunks: [...Buffer.from(withTitle('"😀é"'))].map(byte => Buffer.from([byte])),
    also: response => expect(snippetOf(response).title).to.equal('😀é'),
  }),
])

const long = 'Q'.repeat(5000)
const unknownFields = JSON.stringify(
  Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`${i}${long.slice(0, 99)}`, i])),
)

hostileTable('odd JSON objects', [
  ...['1e400', '{"toString":"x"}', '"\\udc00"'].map(title =>
    rejected(`the title ${title}`, withTitle(title), ['title']),
  ),
  rejected('a title nested 5,000 deep', withTitle('['.repeat(5000) + ']'.repeat(5000)), ['title']),
  row(201, 'POST /api/snippets/', {
    what: '__proto__ beside the fields',
    body: withFirst('"__proto__":{"polluted":1}'),
    also: () => expect('polluted' in {}).to.equal(false),
  }),
  rejected('the fields inside __proto__', `{"title":1,"__proto__":${snippetText}}`, ['title']),
  row(400, 'POST /api/snippets/', { body: `{"__proto__":${snippetText}}`, names: contentFieldNames }),
  row(400, 'POST /api/snippets/', { what: '2,000 unknown fields', body: unknownFields, names: contentFieldNames }),
  row(400, 'POST /api/snippets/', { body: snippetText.replace('title', `Title${long}`), names: ['title'] }),
  rejected('long texts', JSON.stringify(bodyOf({ title: long, language: long, [long]: long })), ['title', 'language']),
  accepted('toString and an empty key', withFirst('"toString":1,"hasOwnProperty":1,"":1')),
  accepted('an unknown field nested 5,000 deep', withFirst(`"x":${'['.repeat(5000)}${']'.repeat(5000)}`)),
  accepted('id, version and created_at of the wrong types', withFirst('"id":{"$gt":0},"version":-1,"created_at":[]')),
  accepted('a byte order mark, which a parser may ignore (RFC 8259, 8.1)', `\ufeff${snippetText}`),
])
