import { type Random, randomFrom } from '../random.js'
import { bodyOf } from '../samples.js'

/** How and when the client leaves. A client that stays reads until the server closes or `stayMs` are over. */
export type Leaving = Readonly<{
  how: 'reset' | 'close' | 'half-close' | 'stay'
  when: 'at once' | 'after a turn' | 'after a pause' | 'at the first response'
}>

/** One connection of a hostile client. Equal seeds make equal cases. */
export type AttackCase = Readonly<{
  seed: number
  /** The pieces, each sent with its own write. */
  pieces: readonly Buffer[]
  /** The pause between two pieces in milliseconds; 0 is one turn of the event loop. */
  gapMs: number
  reads: boolean
  leaving: Leaving
}>

export const attackCase = (seed: number): AttackCase => {
  const random = randomFrom(seed)
  const bytes = random.chance(0.02) ? Buffer.alloc(0) : bytesOfClient(random)
  // some clients leave in the middle of a request
  const sent = random.chance(0.25) ? bytes.subarray(0, random.between(0, bytes.length)) : bytes
  const cuts = Array.from({ length: random.pick([0, 0, 1, 2, 5]) }, () => random.between(0, sent.length))
  const edges = [0, ...cuts.sort((a, b) => a - b), sent.length]
  return {
    seed,
    pieces: edges.slice(1).map((edge, index) => sent.subarray(edges[index], edge)),
    gapMs: random.pick([0, 0, 0, 1, 3]),
    reads: random.chance(0.8),
    leaving: {
      how: random.pick(['reset', 'reset', 'reset', 'close', 'half-close', 'stay']),
      when: random.pick(['at once', 'after a turn', 'after a pause', 'at the first response']),
    },
  }
}

/** Describes the case: the bytes as a JavaScript string, and how the client leaves. */
export const describeAttack = ({ seed, pieces, reads, leaving }: AttackCase): string => {
  const text = Buffer.concat(pieces).toString('latin1')
  const shown = text.length > 300 ? `${text.slice(0, 300)}… (${text.length} bytes)` : text
  return `seed ${seed}: ${JSON.stringify(shown)}, ${reads ? '' : 'not reading, '}${leaving.how} ${leaving.when}`
}

type Make = (random: Random) => string

const end = '\r\n\r\n'
/** A valid body. Its language marks created snippets, so that a long attack can find and delete them. */
const valid = JSON.stringify(bodyOf({ title: 'attack', code: 'x', language: 'attack' }))
const json = 'Content-Type: application/json'

const targets = [
  ...['/api/snippets/', '/api/snippets/1/', '/api/snippets-viewset/2/', '/api/users/', '/livez', '/metrics'],
  ...['/', '*', '//', '/%', '/api/snippets', '/api/snippets/%00/', 'a:80', 'http://[::::]:99999/api/users/'],
  ...['page_size=100', 'title="&page=<>`'].map(query => `/api/snippets-viewset/?${query}`),
]
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'CONNECT']
const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']
const validLines = ['Host: localhost', 'Connection: close', 'Connection: keep-alive', 'If-None-Match: *', json]
const hostileLines = [
  ...['Host: a:99999', 'Expect: 100-continue', 'Expect: miracles', 'Connection: Content-Length'],
  ...['Connection: Upgrade\r\nUpgrade: websocket', 'Content-Encoding: gzip', 'Transfer-Encoding: gzip, chunked'],
  ...['Content-Length: 5\r\nContent-Length: 6', 'Content-Length: 10\r\nTransfer-Encoding: chunked'],
  ...[' folded: line', 'no colon', 'nul: \0', 'high: \xff\xfe', `long: ${'x'.repeat(20_000)}`],
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

const noise: Make = random =>
  Array.from({ length: random.between(1, 200) }, () => String.fromCharCode(random.between(0, 255))).join('')
const noiseAtTimes: Make = random => (random.chance(0.3) ? noise(random) : '')

/** The start of a request, without the empty line that ends it. */
const validHead = (random: Random, methods: readonly string[], ...lines: readonly string[]): string =>
  [`${random.pick(methods)} ${random.pick(targets)} HTTP/1.1`, 'Host: localhost', ...lines].join('\r\n')

const plain: Make = random => validHead(random, ['GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE']) + end

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
  const methods = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE']
  return validHead(random, methods, json, `Content-Length: ${length}`, ...expects) + end + body
}

const chunk: Make = random => {
  const data = random.pick([valid, 'x', '', noise(random), 'x'.repeat(random.between(1, 5000))])
  const size = random.pick([data.length, data.length, data.length, data.length + 1, 0xffff_ffff]).toString(16)
  const extension = random.pick(['', '', '', ';a=b', `;${'x'.repeat(20_000)}`])
  return `${random.pick([size, size, '-1', 'zz', ''])}${extension}${random.pick(['\r\n', '\r\n', '\n'])}${data}\r\n`
}

const chunked: Make = random => {
  const head = validHead(random, ['POST', 'PUT', 'PATCH', 'GET'], json, 'Transfer-Encoding: chunked')
  const chunks = Array.from({ length: random.between(0, 4) }, () => chunk(random)).join('')
  return head + end + chunks + random.pick([`0${end}`, `0${end}`, '0\r\nHost: b\r\n\r\n', '0', ''])
}

const request: Make = random => random.pick([plain, anything, anything, switching, sized, chunked, noise])(random)

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

const bytesOfClient = (random: Random): Buffer => {
  const text = (random.chance(0.3) ? pipelined : request)(random)
  return Buffer.from(random.chance(0.25) ? damaged(text, random) : text, 'latin1')
}
