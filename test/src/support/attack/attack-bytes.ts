import type { Random } from '../random.js'
import { bodyOf } from '../samples.js'

type Make = (random: Random) => string

const end = '\r\n\r\n'
/** A valid body. Its language marks created snippets, so that a long attack can find and delete them. */
const valid = JSON.stringify(bodyOf({ title: 'attack', code: 'x', language: 'attack' }))
const json = 'Content-Type: application/json'

const paths = ['/api/snippets/', '/api/snippets/1/', '/api/snippets-viewset/2/', '/api/users/', '/livez', '/metrics']
const oddTargets = [
  '/',
  '*',
  '//',
  '/%',
  '/api/snippets',
  '/api/snippets/%00/',
  'a:80',
  'http://[::::]:99999/api/users/',
]
const queries = ['page_size=100', 'language=attack&ordering=-title&page=2', 'title="&page=<>`']
const targets = [...paths, ...oddTargets, ...queries.map(query => `/api/snippets-viewset/?${query}`)]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'CONNECT']
const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']
const validLines = [
  'Host: localhost',
  'Connection: close',
  'Connection: keep-alive',
  'If-None-Match: *',
  'If-Match: "1", W/"2"',
  json,
]
const hostileLines = [
  'Host: a:99999',
  'Expect: 100-continue',
  'Expect: miracles',
  'Connection: Content-Length',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Content-Encoding: gzip',
  'Content-Length: 5\r\nContent-Length: 6',
  'Content-Length: 99999999999999999999',
  'Content-Length: 10\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  ' folded: line',
  'no colon',
  'nul: \0',
  'high: \xff\xfe',
  `long: ${'x'.repeat(20_000)}`,
]
/** Requests for a tunnel or another protocol. Node hands over such a socket without its error handler. */
const switches = [
  'CONNECT a:80 HTTP/1.1\r\nHost: a:80',
  'CONNECT a:80 HTTP/1.0',
  'CONNECT /api/snippets/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3',
  'GET /api/users/ HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket',
  'POST /api/snippets/ HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: a\r\nContent-Length: 3',
  'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c',
]
/** Other protocols: the first bytes of a TLS ClientHello, HTTP/2, Redis, and truncated lines. */
const otherProtocols = [
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  '*1\r\n$4\r\nPING\r\n',
  'GET / ',
  '\r\n\r\n',
]

const noise: Make = random =>
  Array.from({ length: random.between(1, 200) }, () => String.fromCharCode(random.between(0, 255))).join('')
const noiseAtTimes: Make = random => (random.chance(0.3) ? noise(random) : '')

/** The start of a request, without the empty line that ends it. */
const validHead = (random: Random, method: string, ...lines: readonly string[]): string =>
  [`${method} ${random.pick(targets)} HTTP/1.1`, 'Host: localhost', ...lines].join('\r\n')

const plain: Make = random => validHead(random, random.pick(['GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE'])) + end

const anything: Make = random => {
  const first = [random.pick(methods), random.pick(targets), random.pick(versions)].filter(Boolean).join(' ')
  const normal = Array.from({ length: random.between(0, 3) }, () => random.pick(validLines))
  const hostile = random.chance(0.5) ? [random.pick(hostileLines)] : []
  return [first, ...normal, ...hostile].join('\r\n') + random.pick([end, end, end, '\n\n', '']) + noiseAtTimes(random)
}

const switching: Make = random => random.pick(switches) + random.pick([end, end, end, '']) + noiseAtTimes(random)

const sized: Make = random => {
  const body = random.pick([valid, '', '{', '[[[[', '{"title":1}', 'x'.repeat(random.between(1, 3000)), noise(random)])
  const length = Math.max(0, body.length + random.pick([0, 0, 0, 1, -1, 100]))
  const expects = random.chance(0.2) ? ['Expect: 100-continue'] : []
  const method = random.pick(['POST', 'PUT', 'PATCH', 'GET', 'DELETE'])
  return validHead(random, method, json, `Content-Length: ${length}`, ...expects) + end + body
}

const chunk: Make = random => {
  const data = random.pick([valid, 'x', '', noise(random), 'x'.repeat(random.between(1, 5000))])
  const size = random.pick([data.length, data.length, data.length, data.length + 1, 0xffff_ffff]).toString(16)
  const extension = random.pick(['', '', '', ';a=b', `;${'x'.repeat(20_000)}`])
  return `${random.pick([size, size, '-1', 'zz', ''])}${extension}${random.pick(['\r\n', '\r\n', '\n'])}${data}\r\n`
}

const chunked: Make = random => {
  const head = validHead(random, random.pick(['POST', 'PUT', 'PATCH', 'GET']), json, 'Transfer-Encoding: chunked')
  const chunks = Array.from({ length: random.between(0, 4) }, () => chunk(random)).join('')
  return head + end + chunks + random.pick([`0${end}`, `0${end}`, '0\r\nHost: b\r\n\r\n', '0', ''])
}

const request: Make = random =>
  random.pick([plain, anything, anything, switching, sized, chunked, noise, () => random.pick(otherProtocols)])(random)

const pipelined: Make = random => {
  const before = Array.from({ length: random.between(1, 8) }, () => random.pick([plain, plain, sized, chunked])(random))
  return before.join('') + request(random)
}

/** Removes, changes or repeats a part of the bytes. */
const damaged = (text: string, random: Random): string => {
  const at = random.between(0, text.length)
  const to = Math.min(text.length, at + random.between(0, 20))
  const instead = random.pick(['', noise(random).slice(0, 3), '\r\n', '\0', text.slice(at, to).repeat(3)])
  return text.slice(0, at) + instead + text.slice(to)
}

/** Generates the bytes of one client on one connection. */
export const attackBytes = (random: Random): Buffer => {
  const text = (random.chance(0.3) ? pipelined : request)(random)
  return Buffer.from(random.chance(0.25) ? damaged(text, random) : text, 'latin1')
}
