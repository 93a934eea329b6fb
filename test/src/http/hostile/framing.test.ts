import { expect } from 'chai'
import { problemOf } from '../../support/http/representations.js'
import { chunk, chunked, get, json, lastChunk, requestHead, snippetText } from '../../support/http/wire.js'
import { type Bytes, type HostileRequest, hostileTable, row } from './hostile-table.js'

const list = '/api/snippets/'
const long = 'Q'.repeat(20_000)
const sized = `Content-Length: ${snippetText.length}`

const closed = { connection: 'closes' } as const

const raw = (status: number, what: string, bytes: Bytes): HostileRequest =>
  row(status, `POST ${list}`, { what, raw: bytes, ...(status >= 300 && closed) })

/** A POST with hand-written framing. */
const post = (status: number, lines: readonly string[], body: string, what = lines.join(' and ')): HostileRequest =>
  raw(status, what, requestHead('POST', list, json, ...lines) + body)

const inChunks = chunk(snippetText) + lastChunk

/** A request inside the body of another, which must not be smuggled through (RFC 9112, 11.2). */
const smuggled = requestHead('POST', list)

hostileTable('hostile framing', [
  post(400, [sized, chunked], inChunks),
  post(400, [chunked, 'Content-Length: 4'], lastChunk + smuggled),
  post(400, [sized, 'Content-Length: 1'], snippetText),
  post(400, ['Content-Length: -1'], snippetText),
  post(400, ['Transfer-Encoding: junk'], snippetText),
  post(400, ['Transfer-Encoding: gzip, chunked'], inChunks),
  post(400, ['Transfer-Encoding: gzip', chunked], inChunks),
  post(400, ['Transfer-Encoding: chunked, junk'], lastChunk),
  post(201, ['Transfer-Encoding: Chunked'], inChunks),
  post(400, [chunked], `fffffffffffffffff\r\n${inChunks}`, 'a chunk size beyond 64 bits'),
  post(400, [chunked], `2\r\n${inChunks}`, 'a chunk longer than its size'),
  post(201, [chunked], inChunks.replace('\r\n', ';a=b\r\n'), 'a chunk extension'),
  post(201, [chunked], `${chunk(snippetText)}0\r\nX-A: b\r\nIf-Match: "x"\r\n\r\n`, 'trailers'),
  post(431, [chunked], `${chunk(snippetText)}0\r\nX: ${long}\r\n\r\n`, '20 KB of trailers'),
])

hostileTable('bytes that are not HTTP', [
  ...['Host : a', 'junk', 'X-A: a\0b', 'X-A: a\r\n b'].map(line =>
    raw(400, `the header line ${JSON.stringify(line)}`, get(list, line)),
  ),
  ...['', ' HTTP/0.9', ' HTTP/1.2', ' HTTP/2.0'].map(end =>
    raw(400, `a request line that ends in "${end}"`, get(list).replace(' HTTP/1.1', end)),
  ),
  raw(400, 'lines that end in a bare LF', 'GET / HTTP/1.1\nHost: a\n\n'),
  raw(400, 'a TLS ClientHello', Buffer.from('\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n', 'latin1')),
  raw(400, 'the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  raw(431, 'a 40 KB request line', get(`/${long}${long}`)),
  ...['get', 'FOO', 'GETX', ''].map(method =>
    row(400, `${method} ${list}`, {
      also: response => expect(problemOf(response).detail).to.contain('does not know the method'),
      ...closed,
    }),
  ),
  row(204, 'OPTIONS *', {
    also: ({ headers }) => expect(headers.allow).to.equal('GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS'),
  }),
  row(404, 'GET *'),
  row(200, `GET ${list}`, { what: 'empty lines before the request', raw: `\r\n\r\n${get(list)}` }),
])

const upgrade = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']

hostileTable('other versions and expectations', [
  row(200, `GET ${list}`, { version: '1.0', hosts: [], ...closed }),
  row(200, 'GET /api/users/', { version: '1.0', lines: ['Connection: keep-alive'] }),
  row(400, `POST ${list}`, { version: '1.0', chunks: [snippetText], lines: ['Connection: keep-alive'], ...closed }),
  row(201, `POST ${list}`, { version: '1.0', lines: ['Expect: 100-continue'], body: snippetText, ...closed }),
  ...[['Expect: 100-Continue'], ['Expect: 100-continue', 'Expect: 100-continue']].map(lines =>
    row(201, `POST ${list}`, {
      lines,
      body: snippetText,
      also: ({ interim }) => expect(interim).to.deep.equal([100]),
    }),
  ),
  ...['100-continue, miracles', '100-continued'].map(expected =>
    row(417, `POST ${list}`, { lines: [`Expect: ${expected}`], body: snippetText, ...closed }),
  ),
  row(417, `GET ${list}`, {
    lines: ['Expect: miracles', 'X-Request-Id: mine'],
    also: ({ headers }) => expect(headers['x-request-id']).to.equal('mine'),
    ...closed,
  }),
  row(200, `GET ${list}`, { lines: upgrade, ...closed }),
  row(201, `POST ${list}`, { lines: [...upgrade, 'Expect: 100-continue'], chunks: [snippetText], ...closed }),
  row(200, `GET ${list}`, { body: snippetText }),
  row(200, `HEAD ${list}`, { chunks: [snippetText] }),
  row(204, `DELETE ${list}{id}/`, { body: '{' }),
])
