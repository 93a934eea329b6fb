import { expect } from 'chai'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { header } from '../../support/http/representations.js'
import { snippetText } from '../../support/http/wire.js'
import { hostileTable, row } from './hostile-table.js'

const list = '/api/snippets/'
const detail = '/api/snippets/{id}/'
const patched = '/api/snippets-viewset/{id}/'
const body = snippetText

const fields = (count: number): readonly string[] => Array.from({ length: count }, () => 'a:')

const also = (response: HttpResponse) => expect(header(response, 'X-Request-Id')).to.match(/^[\w-]{36}$/)

hostileTable('hostile headers', [
  ...[['Q'.repeat(129)], ['a b'], ['<script>'], ['\u00fc'], ['a', 'b']].map(ids =>
    row(200, `GET ${detail}`, { lines: ids.map(id => `X-Request-Id: ${id}`), also }),
  ),
  row(400, `GET ${detail}`, { lines: ['X-Request-Id: a\u007fb'], connection: 'closes', also }),
  row(415, `POST ${list}`, { lines: ['content-type: application/json'], body }),
  row(412, `DELETE ${detail}`, { what: 'If-Match behind 98 fields', lines: [...fields(98), 'If-Match: "other"'] }),
  ...[101, 2500].map(count =>
    row(431, `DELETE ${detail}`, { what: `${count} fields`, hosts: [], lines: fields(count), connection: 'closes' }),
  ),
  row(400, `POST ${list}`, { lines: ['Idempotency-Key: a', 'Idempotency-Key: a'], body }),
  row(201, `POST ${list}`, { lines: ['IDEMPOTENCY-KEY:   $where   '], body }),
])

const jsonTypes = [
  'APPLICATION/JSON',
  'application/json;',
  'application/json ; charset="UTF-8"; version=1',
  'application/json; charset=utf8',
]
const otherTypes = ['', 'application', '*/*', 'application/jsonx', '__proto__']
const joinedTypes = ['application/json, text/plain', 'application/json; a=b, text/plain']
const otherCharsets = ['', 'xutf-8', 'utf-8x'].map(charset => `application/json; v=1; charset=${charset}`)

hostileTable('hostile Content-Types and Content-Encodings', [
  ...[...otherTypes, ...joinedTypes, ...otherCharsets, 'application/json\u00fc', `text/${'Q'.repeat(5000)}`].map(type =>
    row(415, `POST ${list}`, { type, body }),
  ),
  ...[...jsonTypes, 'Application/Merge-Patch+JSON; charset=utf-8'].map(type =>
    row(200, `PATCH ${patched}`, { type, body }),
  ),
  row(415, `PATCH ${patched}`, { type: 'application/merge-patch+json; charset=utf-16', body }),
  row(415, `POST ${list}`),
  row(400, `POST ${list}`, { type: 'application/json' }),
  ...['', 'GZIP', 'gzip, br', 'Q'.repeat(3000)].map(encoding =>
    row(415, `POST ${list}`, { lines: [`Content-Encoding: ${encoding}`], body }),
  ),
])

const oddLists = ['', ',', '\t', '"x"\t ,, "y" ', `${'"a",'.repeat(800)}"b"`]
const oddTags = ['""', '"*"', 'W/"x"', '"\u00fc!#~"', '"1-1"', '"Infinity-1"', `"${'Q'.repeat(3000)}"`]
const malformedTags = ['"', '"x', 'x"', 'x', 'W/', 'w/"x"', 'W/ "x"', '"x y"']
const malformedLists = ['"x" "y"', '"x""y"', '*, "x"', '"x", *', '**', `"x"${' '.repeat(4000)}y`]

hostileTable('hostile preconditions', [
  ...[...oddLists, ...oddTags].flatMap(tag => [
    row(412, `PUT ${detail}`, { lines: [`If-Match: ${tag}`], body }),
    row(204, `DELETE ${detail}`, { lines: [`If-None-Match: ${tag}`] }),
  ]),
  ...[...malformedTags, ...malformedLists].flatMap(tag => [
    row(400, `PUT ${detail}`, { lines: [`If-Match: ${tag}`], body }),
    row(200, `GET ${detail}`, { lines: [`If-None-Match: ${tag}`] }),
  ]),
])
