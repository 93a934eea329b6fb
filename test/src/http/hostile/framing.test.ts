import { hostileTable, type Row, validBody } from './hostile-table.js'

const length = validBody.length
const hex = length.toString(16)
const json = 'Content-Type: application/json\r\n'

/** A POST with hand-written framing. */
const post = (headers: string, body: string) => (own: Readonly<{ host: string }>) =>
  `POST /api/snippets/ HTTP/1.1\r\nHost: ${own.host}\r\n${json}${headers}\r\n${body}`

const refused = (what: string, raw: Row['raw'], status: Row['status'] = 400): Row => ({
  what,
  method: 'POST',
  target: '/api/snippets/',
  ...(raw !== undefined && { raw }),
  status,
  connection: 'closes',
})

/** A request inside the body of another, which must not be smuggled through (RFC 9112, 11.2). */
const smuggled = 'POST /api/snippets/ HTTP/1.1\r\nHost: x\r\n\r\n'

hostileTable('hostile framing', [
  refused(
    'Content-Length before chunked',
    post(`Content-Length: ${length}\r\nTransfer-Encoding: chunked\r\n`, `${hex}\r\n${validBody}\r\n0\r\n\r\n`),
  ),
  refused(
    'chunked before Content-Length, with a request smuggled behind',
    post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', `0\r\n\r\n${smuggled}`),
  ),
  refused(
    'two different Content-Lengths',
    post(`Content-Length: ${length}\r\nContent-Length: ${length + 1}\r\n`, validBody),
  ),
  refused('one Content-Length with two values', post(`Content-Length: ${length}, ${length}\r\n`, validBody)),
  refused('a negative Content-Length', post('Content-Length: -1\r\n', validBody)),
  refused('a Content-Length with a plus sign', post(`Content-Length: +${length}\r\n`, validBody)),
  refused('a hexadecimal Content-Length', post(`Content-Length: 0x${hex}\r\n`, validBody)),
  refused('a Content-Length that is not a number', post('Content-Length: abc\r\n', validBody)),
  refused('a Content-Length beyond 64 bits', post('Content-Length: 99999999999999999999999\r\n', validBody)),
  refused('an empty Content-Length', post('Content-Length:\r\n', validBody)),
  refused('an unknown Transfer-Encoding', post('Transfer-Encoding: junk\r\n', validBody)),
  refused('gzip below chunked', post('Transfer-Encoding: gzip, chunked\r\n', `${hex}\r\n${validBody}\r\n0\r\n\r\n`)),
  refused(
    'gzip and chunked in two lines',
    post('Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n', `${hex}\r\n${validBody}\r\n0\r\n\r\n`),
  ),
  refused(
    'a Transfer-Encoding in which chunked is not last',
    post('Transfer-Encoding: chunked, junk\r\n', '0\r\n\r\n'),
  ),
  refused(
    'a chunk size that is not a number',
    post('Transfer-Encoding: chunked\r\n', `zz\r\n${validBody}\r\n0\r\n\r\n`),
  ),
  refused('a negative chunk size', post('Transfer-Encoding: chunked\r\n', `-1\r\n${validBody}\r\n0\r\n\r\n`)),
  refused(
    'a chunk size beyond 64 bits',
    post('Transfer-Encoding: chunked\r\n', `fffffffffffffffff\r\n${validBody}\r\n0\r\n\r\n`),
  ),
  refused('a chunk longer than its size', post('Transfer-Encoding: chunked\r\n', `2\r\n${validBody}\r\n0\r\n\r\n`)),
  refused('a bad chunk after a good one', post('Transfer-Encoding: chunked\r\n', `${hex}\r\n${validBody}\r\nzz\r\n`)),
  {
    what: 'a chunk extension',
    method: 'POST',
    target: '/api/snippets/',
    raw: post('Transfer-Encoding: chunked\r\n', `${hex};a=b\r\n${validBody}\r\n0\r\n\r\n`),
    status: 201,
  },
  {
    what: 'a chunked body with trailers',
    method: 'POST',
    target: '/api/snippets/',
    raw: post(
      'Transfer-Encoding: chunked\r\nTrailer: X-A\r\n',
      `${hex}\r\n${validBody}\r\n0\r\nX-A: b\r\nIf-Match: "x"\r\n\r\n`,
    ),
    status: 201,
  },
  refused(
    'a 20 KB chunk extension',
    post('Transfer-Encoding: chunked\r\n', `${hex};${'Q'.repeat(20_000)}\r\n${validBody}\r\n0\r\n\r\n`),
    413,
  ),
  refused(
    '20 KB of trailers',
    post('Transfer-Encoding: chunked\r\n', `${hex}\r\n${validBody}\r\n0\r\nX: ${'Q'.repeat(20_000)}\r\n\r\n`),
    431,
  ),
  refused(
    'a space before the colon of a header',
    ({ host }) => `GET /api/snippets/ HTTP/1.1\r\nHost : ${host}\r\n\r\n`,
  ),
  refused(
    'a header line without a colon',
    ({ host }) => `GET /api/snippets/ HTTP/1.1\r\nHost: ${host}\r\njunk\r\n\r\n`,
  ),
  refused('a header line without a name', ({ host }) => `GET /api/snippets/ HTTP/1.1\r\nHost: ${host}\r\n: x\r\n\r\n`),
  refused('HTTP/2.0', ({ host }) => `GET /api/snippets/ HTTP/2.0\r\nHost: ${host}\r\n\r\n`),
  refused('a NUL in a header', ({ host }) => `GET /api/snippets/ HTTP/1.1\r\nHost: ${host}\r\nX-A: a\u0000b\r\n\r\n`),
  refused('a lone CR in a header', ({ host }) => `GET /api/snippets/ HTTP/1.1\r\nHost: ${host}\r\nX-A: a\rb\r\n\r\n`),
  // Node's parser is lenient here, which is harmless as long as responses still match requests
  {
    what: 'a coding over HTTP/1.0',
    raw: 'POST /api/snippets/ HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    method: 'POST',
    target: '/api/snippets/',
    status: 400,
    connection: 'closes',
  },
  ...(
    [
      ['', 400, 'closes'],
      [' RTSP/1.0', 200, 'closes'],
      ['  HTTP/1.1', 200, undefined],
    ] as const
  ).map(
    ([end, status, connection]): Row => ({
      what: `a request line that ends in "${end}"`,
      method: 'GET',
      target: '/api/snippets/{id}/',
      raw: ({ host, id }) => `GET /api/snippets/${id}/${end}\r\nHost: ${host}\r\n\r\n`,
      status,
      ...(connection && { connection }),
    }),
  ),
  {
    what: 'lines that end in a bare LF',
    method: 'GET',
    target: '/api/snippets/{id}/',
    raw: ({ host, id }) => `GET /api/snippets/${id}/ HTTP/1.1\nHost: ${host}\n\n`,
    status: 400,
    connection: 'closes',
  },
  {
    what: 'a header folded over two lines',
    method: 'GET',
    target: '/api/snippets/{id}/',
    raw: ({ host, id }) => `GET /api/snippets/${id}/ HTTP/1.1\r\nHost: ${host}\r\nX-A: a\r\n b\r\n\r\n`,
    status: 400,
    connection: 'closes',
  },
  {
    what: 'empty lines before the request',
    method: 'GET',
    target: '/api/snippets/{id}/',
    raw: ({ host, id }) => `\r\n\r\nGET /api/snippets/${id}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`,
    status: 200,
  },
  refused('plain words', 'hello world, is anybody there?\r\n\r\n'),
  refused('control characters instead of a request line', '\u0000\u0001\u0002\u0003\r\n\r\n'),
  refused(
    'a TLS ClientHello',
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03, 0x0a, 0x0a]),
  ),
  refused('a request line without a target', ({ host }) => `GET HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
  refused('HTTP/0.9', 'GET /api/snippets/ HTTP/0.9\r\n\r\n'),
  refused('HTTP/1.2', 'GET /api/snippets/ HTTP/1.2\r\nHost: x\r\n\r\n'),
  refused('a 40 KB request line', `GET /${'Q'.repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431),
  refused('40 KB without a line break', 'Q'.repeat(40_000)),
])
