import { gzipSync } from 'node:zlib'
import { hostileTable, inBothFamilies, type Row, validBody } from './hostile-table.js'

const types: readonly (readonly [string, number])[] = [
  ['application/json', 201],
  ['APPLICATION/JSON', 201],
  ['application/json;charset=utf-8', 201],
  ['application/json; charset=UTF-8', 201],
  ['application/json; charset="utf-8"', 201],
  ['application/json ; charset=utf-8', 201],
  ['application/json; version=1', 201],
  ['application/json;', 201],
  ['application/json; charset=utf-16', 415],
  ['application/json; charset=iso-8859-1', 415],
  ['application/json; charset=', 415],
  ['application/json; charset=utf-8; charset=utf-16', 415],
  ['application/merge-patch+json', 415],
  ['application/json-patch+json', 415],
  ['application/vnd.api+json', 415],
  ['application/problem+json', 415],
  ['application/jsonx', 415],
  ['application/json5', 415],
  ['application/json, text/plain', 415],
  ['text/json', 415],
  ['text/plain', 415],
  ['text/plain; charset=utf-8', 415],
  ['text/html', 415],
  ['application/x-www-form-urlencoded', 415],
  ['multipart/form-data; boundary=x', 415],
  ['application/xml', 415],
  ['application/octet-stream', 415],
  ['application/*', 415],
  ['*/*', 415],
  ['application', 415],
  ['json', 415],
  ['application/json/x', 415],
  ['application /json', 415],
  ['"application/json"', 415],
  [';', 415],
  ['', 415],
  ['__proto__', 415],
  [`text/${'Q'.repeat(5000)}`, 415],
  ['application/json\u00fc', 415],
]

const typeRows = (path: string): readonly Row[] => [
  ...types.flatMap(([type, status]) => [
    {
      what: `POST ${path} with Content-Type "${type.slice(0, 60)}"`,
      method: 'POST',
      target: path,
      type,
      body: validBody,
      status,
    },
    {
      what: `PUT ${path}{id}/ with Content-Type "${type.slice(0, 60)}"`,
      method: 'PUT',
      target: `${path}{id}/`,
      type,
      body: validBody,
      status: status === 201 ? 200 : status,
    },
  ]),
  {
    what: `POST ${path} without a Content-Type`,
    method: 'POST',
    target: path,
    type: null,
    body: validBody,
    status: 415,
  },
  {
    what: `POST ${path} with an empty body and no Content-Type`,
    method: 'POST',
    target: path,
    type: null,
    body: '',
    status: 415,
  },
  { what: `POST ${path} without Content-Type, Content-Length and body`, method: 'POST', target: path, status: 415 },
  {
    what: `POST ${path} without Content-Length and body`,
    method: 'POST',
    target: path,
    type: 'application/json',
    status: 400,
  },
  {
    what: `POST ${path} with a form that holds an operator`,
    method: 'POST',
    target: path,
    type: 'application/x-www-form-urlencoded',
    body: 'title[$ne]=1&code=c&language=l',
    status: 415,
  },
  {
    what: `POST ${path} with 300 KiB of text/plain`,
    method: 'POST',
    target: path,
    type: 'text/plain',
    body: 'x'.repeat(300 * 1024),
    status: 415,
  },
]

const patchTypes: readonly Row[] = (
  [
    ['application/merge-patch+json', 200],
    ['Application/Merge-Patch+JSON; charset=utf-8', 200],
    ['application/merge-patch+json; charset=utf-16', 415],
    ['application/json', 200],
    ['application/json-patch+json', 415],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
  ] as const
).map(([type, status]) => ({
  what: `PATCH with Content-Type ${type}`,
  method: 'PATCH',
  target: '/api/snippets-viewset/{id}/',
  type,
  body: '{"title":"t"}',
  status,
}))

const encodings = ['gzip', 'GZIP', 'x-gzip', 'br', 'deflate', 'zstd', 'identity', 'gzip, br', 'junk', 'Q'.repeat(3000)]

const encodingRows = (path: string): readonly Row[] => [
  ...encodings.map(encoding => ({
    what: `POST ${path} with plain JSON declared as ${encoding.slice(0, 20)}`,
    method: 'POST',
    target: path,
    lines: [`Content-Encoding: ${encoding}`],
    body: validBody,
    status: 415,
  })),
  {
    what: `POST ${path} with a valid gzip body`,
    method: 'POST',
    target: path,
    lines: ['Content-Encoding: gzip'],
    body: gzipSync(validBody),
    status: 415,
  },
  {
    what: `PUT ${path}{id}/ with a broken gzip body`,
    method: 'PUT',
    target: `${path}{id}/`,
    lines: ['Content-Encoding: gzip'],
    body: gzipSync(validBody).subarray(0, 20),
    status: 415,
  },
  {
    what: `POST ${path} with a gzip bomb`,
    method: 'POST',
    target: path,
    lines: ['Content-Encoding: gzip'],
    body: gzipSync(' '.repeat(50_000_000)),
    status: 415,
  },
]

hostileTable('hostile Content-Types', [...inBothFamilies(typeRows), ...patchTypes])
hostileTable('hostile Content-Encodings', inBothFamilies(encodingRows))
