import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { header } from '../../support/http/representations.js'
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
    status: [413, 415],
    connection: 'may close',
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

const junkTags = [
  '',
  '"',
  '"x',
  'x"',
  'x',
  'W/',
  'W/"x"',
  'w/"x"',
  '""',
  '"x" "y"',
  '"x",,"y"',
  ',',
  '*, "x"',
  '"*"',
  '**',
  '\t',
  'Q'.repeat(4000),
  `${'"a",'.repeat(800)}"b"`,
  '"1-1"',
  '"0-1"',
  '"-1"',
  '"Infinity-1"',
  '"zzzzzzzzzzzzzzzzzzzz-1"',
]

const tagRows = (path: string): readonly Row[] =>
  junkTags.flatMap(tag => {
    const shown = tag.slice(0, 20)
    const target = `${path}{id}/`
    return [
      {
        what: `PUT ${path}{id}/ with If-Match: ${shown}`,
        method: 'PUT',
        target,
        lines: [`If-Match: ${tag}`],
        body: validBody,
        status: 412,
      },
      {
        what: `DELETE ${path}{id}/ with If-Match: ${shown}`,
        method: 'DELETE',
        target,
        lines: [`If-Match: ${tag}`],
        status: 412,
      },
      { what: `GET ${path}{id}/ with If-None-Match: ${shown}`, target, lines: [`If-None-Match: ${tag}`], status: 200 },
    ]
  })

const manyHeaders = Array.from({ length: 2_500 }, () => 'a:')

const hostRows: readonly Row[] = [
  { what: 'HTTP/1.1 without a Host', target: '/api/snippets/', hosts: [], status: 400, connection: 'may close' },
  {
    what: 'an unknown path without a Host',
    target: '/nowhere/',
    hosts: [],
    status: [400, 404],
    connection: 'may close',
  },
  {
    what: 'HTTP/1.0 without a Host',
    version: '1.0',
    target: '/api/snippets-viewset/',
    hosts: [],
    status: 200,
    connection: 'closes',
  },
  { what: 'HTTP/1.0 with a Host', version: '1.0', target: '/api/snippets/', status: 200, connection: 'closes' },
  {
    what: 'an invalid request over HTTP/1.0',
    version: '1.0',
    target: '/api/snippets/?x',
    status: 400,
    connection: 'closes',
  },
  {
    what: 'HTTP/1.0 with Connection: keep-alive',
    version: '1.0',
    target: '/api/snippets/{id}/',
    lines: ['Connection: keep-alive'],
    status: 200,
    connection: 'may close',
  },
  { what: 'two Hosts', target: '/api/snippets/', hosts: ['a.test', 'b.test'], status: 400, connection: 'may close' },
  {
    what: 'the same Host twice',
    target: '/api/snippets/',
    hosts: ['a.test', 'a.test'],
    status: 400,
    connection: 'may close',
  },
  ...[
    '',
    ' ',
    'a b',
    'a.test/path',
    'http://a.test',
    'user@a.test',
    'a.test:port',
    'a.test:',
    'a.test:123456',
    '"a"',
    'a,b',
    '<a>',
    '[::1',
    '::1',
    'a.test?x',
    'a.test#x',
    '\\',
    `${'Q'.repeat(3000)}!`,
  ].flatMap(host =>
    ['/api/snippets-viewset/?page_size=1', '/api/snippets/{id}/'].map(target => ({
      what: `the malformed Host "${host.slice(0, 20)}" on ${target}`,
      target,
      hosts: [host],
      status: host === 'a.test:' ? [200, 400] : 400,
      connection: 'may close' as const,
    })),
  ),
  ...['a.test', 'A.Test:80', 'a-b.test:8080', '127.0.0.1', '[::1]', '[::1]:8000', 'localhost:1'].map(host => ({
    what: `the Host ${host}`,
    target: '/api/snippets-viewset/?page_size=1',
    hosts: [host],
    status: 200,
  })),
]

const requestIds: readonly Row[] = [
  'Q'.repeat(5000),
  'a b',
  '<script>alert(1)</script>',
  '\u00fc',
  '\t',
  '"',
  ';',
  '$\u007bjndi}',
  'a\u007fb',
].map(id => ({
  what: `the X-Request-Id ${JSON.stringify(id.slice(0, 20))}`,
  target: '/api/snippets/{id}/',
  lines: [`X-Request-Id: ${id}`],
  status: id.includes('\u007f') ? [200, 400] : 200,
  ...(id.includes('\u007f') && { connection: 'may close' as const }),
  also: answer => expect(header(answer, 'X-Request-Id')).to.match(/^[\w-]{8,64}$/),
}))

const otherHeaders: readonly Row[] = [
  {
    what: 'two X-Request-Ids',
    target: '/api/snippets/{id}/',
    lines: ['X-Request-Id: a', 'X-Request-Id: b'],
    status: 200,
    also: answer => expect(header(answer, 'X-Request-Id')).not.to.equal('a, b'),
  },
  ...inBothFamilies(path => [
    {
      what: `DELETE ${path}{id}/ with If-Match behind 2,500 other headers`,
      method: 'DELETE',
      target: `${path}{id}/`,
      lines: [...manyHeaders, 'If-Match: "other"'],
      status: 412,
    },
    {
      what: `POST ${path} with Content-Type behind 2,500 other headers`,
      method: 'POST',
      target: path,
      lines: [...manyHeaders, 'Content-Type: text/plain'],
      body: validBody,
      status: 415,
    },
    {
      what: `POST ${path} with Content-Encoding behind 2,500 other headers`,
      method: 'POST',
      target: path,
      lines: [...manyHeaders, 'Content-Encoding: gzip'],
      body: validBody,
      status: 415,
    },
    {
      what: `a 20 KB header on ${path}`,
      target: path,
      lines: [`X-Long: ${'Q'.repeat(20_000)}`],
      status: 431,
      connection: 'closes' as const,
    },
    {
      what: `3,000 headers on ${path} that are too large in total`,
      target: path,
      lines: Array.from({ length: 3000 }, (_, i) => `x${i}: ${i}`),
      status: 431,
      connection: 'closes' as const,
    },
    {
      what: `POST ${path} with Expect: 100-continue`,
      method: 'POST',
      target: path,
      lines: ['Expect: 100-continue'],
      body: validBody,
      status: 201,
      also: answer => expect(answer.interim).to.deep.equal([100]),
    },
    {
      what: `POST ${path} with Expect: 100-continue and the wrong Content-Type`,
      method: 'POST',
      target: path,
      type: 'text/plain',
      lines: ['Expect: 100-continue'],
      body: validBody,
      status: 415,
      connection: 'may close' as const,
      also: answer => expect(answer.interim).to.deep.equal([]),
    },
    {
      what: `POST ${path} with Expect: 100-continue and too large a Content-Length`,
      method: 'POST',
      target: path,
      lines: ['Expect: 100-continue', 'Content-Length: 1000000'],
      body: '',
      status: 413,
      connection: 'may close' as const,
      also: answer => expect(answer.interim).to.deep.equal([]),
    },
    {
      what: `GET ${path} with an unknown expectation`,
      target: path,
      lines: ['Expect: miracles'],
      status: 417,
      connection: 'may close' as const,
    },
    {
      what: `POST ${path} with a huge Content-Length`,
      method: 'POST',
      target: path,
      lines: ['Content-Length: 1000000000000'],
      body: '',
      status: 413,
      connection: 'closes' as const,
    },
    {
      what: `GET ${path} with a body`,
      target: path,
      body: validBody,
      status: 200,
    },
    {
      what: `GET ${path}{id}/ with a chunked body`,
      target: `${path}{id}/`,
      chunks: [validBody, validBody],
      status: 200,
    },
    {
      what: `DELETE ${path}{id}/ with a body that is not JSON`,
      method: 'DELETE',
      target: `${path}{id}/`,
      body: '{',
      status: 204,
    },
    {
      what: `HEAD ${path}{id}/ with a body`,
      method: 'HEAD',
      target: `${path}{id}/`,
      body: validBody,
      status: 200,
    },
    {
      what: `GET ${path}{id}/ with Connection: close`,
      target: `${path}{id}/`,
      lines: ['Connection: close'],
      status: 200,
      connection: 'closes' as const,
    },
    {
      what: `GET ${path} with an upgrade to WebSocket`,
      target: path,
      lines: ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x', 'Sec-WebSocket-Version: 13'],
      status: 200,
    },
    {
      what: `GET ${path} with an upgrade to HTTP/2`,
      target: path,
      lines: ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'],
      status: 200,
    },
    {
      what: `POST ${path} with method-override headers`,
      method: 'POST',
      target: path,
      lines: ['X-HTTP-Method-Override: DELETE', 'X-Method-Override: DELETE'],
      body: '{}',
      status: 400,
    },
    {
      what: `PUT ${path}{id}/ with a Content-Range`,
      method: 'PUT',
      target: `${path}{id}/`,
      lines: ['Content-Range: bytes 0-1/2'],
      body: '{}',
      status: 400,
    },
  ]),
]

hostileTable('hostile Content-Types', [...inBothFamilies(typeRows), ...patchTypes])
hostileTable('hostile Content-Encodings', inBothFamilies(encodingRows))
hostileTable('hostile preconditions', inBothFamilies(tagRows))
hostileTable('hostile Hosts', hostRows)
hostileTable('hostile headers', [...requestIds, ...otherHeaders])
