import type { Random } from '../random.js'

const targets = [
  '/api/snippets/',
  '/api/snippets/1/',
  '/api/snippets/config/',
  '/api/snippets-viewset/',
  '/api/snippets-viewset/?page_size=100',
  '/api/snippets-viewset/?language=attack&ordering=-title&page=2',
  '/api/snippets-viewset/2/',
  '/api/users/',
  '/api/schema/',
  '/livez',
  '/readyz',
  '/metrics',
  '/',
  '*',
  '//',
  '/api/snippets',
  '/%',
  '/api/snippets/%00/',
  '/api/snippets/99999999999999999999/',
  'http://a/api/snippets/',
  'http://[::::]:99999/api/snippets-viewset/',
  'a:80',
  '/api/snippets-viewset/?title="&page=<>`',
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'CONNECT', 'M-SEARCH']
const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'HTTP/9', 'http/1.1', '']
const soundLines = [
  'Host: a',
  'Host: a:99999',
  'Host: ',
  'Connection: close',
  'Connection: keep-alive',
  'Accept: text/html',
  'If-None-Match: *',
  'If-Match: "1", W/"2"',
  'X-Request-Id: attack',
  'traceparent: 00-00000000000000000000000000000001-0000000000000001-01',
  'Content-Type: application/json',
  'Content-Type: text/plain; charset=utf-7',
  'Content-Encoding: gzip',
]
const hostileLines = [
  'Expect: 100-continue',
  'Expect: miracles',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Connection: Upgrade, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__',
  'Connection: Content-Length',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: -1',
  'Content-Length: 99999999999999999999',
  'Content-Length: 10\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: identity',
  'Transfer-Encoding : chunked',
  'Trailer: Host',
  ' folded: line',
  'no colon',
  'nul: \0',
  'high: \xff\xfe',
  ': no name',
  `long: ${'x'.repeat(20_000)}`,
  Array.from({ length: 500 }, (_, i) => `h${i}: ${i}`).join('\r\n'),
]

/** The start of a request, without the empty line that ends it. */
export const anyHead = (random: Random): string => {
  const first = [random.pick(methods), random.pick(targets), random.pick(versions)].filter(Boolean).join(' ')
  const sound = Array.from({ length: random.between(0, 3) }, () => random.pick(soundLines))
  const hostile = random.chance(0.5) ? [random.pick(hostileLines)] : []
  return [first, ...sound, ...hostile].join('\r\n')
}

export const soundHead = (random: Random, method: string, ...lines: readonly string[]): string =>
  [`${method} ${random.pick(targets)} HTTP/1.1`, 'Host: a', ...lines].join('\r\n')

/** What opens a tunnel or another protocol. Node passes such a socket on without its own error handler. */
export const switchingHead = (random: Random): string =>
  random.pick([
    'CONNECT a:80 HTTP/1.1\r\nHost: a:80',
    'CONNECT a:80 HTTP/1.0',
    'CONNECT /api/snippets/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3',
    'TRACE /api/snippets/ HTTP/1.1\r\nHost: a',
    'TRACE * HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0',
    soundHead(random, 'GET', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'),
    soundHead(random, 'POST', 'Connection: Upgrade', 'Upgrade: a', 'Content-Length: 3'),
    'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c',
    'PRI * HTTP/2.0\r\n\r\nSM',
  ])
