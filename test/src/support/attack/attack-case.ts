import { type Random, randomFrom } from '../random.js'
import { bodyOf } from '../samples.js'

/** How and when the client leaves. A client that stays reads until the server closes or `stayMs` are over. */
export type Leaving = Readonly<{
  how: 'reset' | 'close' | 'half-close' | 'stay'
  when: 'at once' | 'after a turn' | 'after a pause' | 'at the first response'
}>

/** One connection of a hostile client. Equal seeds make equal cases. */
export type AttackCase = Readonly<{
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
    pieces: edges.slice(1).map((edge, index) => sent.subarray(edges[index], edge)),
    gapMs: random.pick([0, 0, 0, 1, 3]),
    reads: random.chance(0.8),
    leaving: {
      how: random.pick(['reset', 'reset', 'reset', 'close', 'half-close', 'stay']),
      when: random.pick(['at once', 'after a turn', 'after a pause', 'at the first response']),
    },
  }
}

/** A valid body. Its language marks created snippets, so that a long attack can find and delete them. */
const valid = JSON.stringify(bodyOf({ title: 'attack', code: 'x', language: 'attack' }))
const long = 'x'.repeat(20_000)

const targets = [
  ...['/api/snippets/', '/api/snippets/', '/api/snippets-viewset/2/', '/api/users/', '/livez', '/metrics'],
  ...['/', '*', '//', '/%', '/api/snippets', '/api/snippets/%00/', 'a:80', 'http://[::::]:99999/api/users/'],
  ...['page_size=100', 'title="&page=<>`'].map(query => `/api/snippets-viewset/?${query}`),
]
const methods = ['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'CONNECT']
const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']
const usualLines = ['Connection: close', 'Connection: keep-alive', 'If-None-Match: *', 'Expect: 100-continue']
const hostileLines = [
  ...['Host: a:99999', 'Expect: miracles', 'Connection: Content-Length', 'Content-Encoding: gzip'],
  // Node hands over the socket of a tunnel or another protocol without its error handler
  ...['Connection: Upgrade\r\nUpgrade: websocket', 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c'],
  ...['Content-Length: 5\r\nContent-Length: 6', 'Content-Length: 10\r\nTransfer-Encoding: chunked'],
  ...['Transfer-Encoding: gzip, chunked', ' folded: line', 'no colon', 'nul: \0', 'high: \xff\xfe', `long: ${long}`],
]

const noise = (random: Random): string =>
  Array.from({ length: random.between(1, 200) }, () => String.fromCharCode(random.between(0, 255))).join('')

const chunk = (random: Random): string => {
  const data = random.pick([valid, 'x', '', noise(random), 'x'.repeat(random.between(1, 5000))])
  const size = random.pick([data.length, data.length, data.length, data.length + 1, 0xffff_ffff]).toString(16)
  return `${random.pick([size, size, size, '-1', ''])}${random.pick(['', '', ';a=b', `;${long}`])}\r\n${data}\r\n`
}

/** Returns the lines about a body, and the body. */
const bodyParts = (random: Random): readonly [readonly string[], string] => {
  const json = 'Content-Type: application/json'
  if (random.chance(0.4)) return [[], random.pick(['', '', noise(random)])]
  if (random.chance(0.5)) {
    const chunks = Array.from({ length: random.between(0, 4) }, () => chunk(random)).join('')
    const last = random.pick(['0\r\n\r\n', '0\r\n\r\n', '0\r\nHost: b\r\n\r\n', '0', ''])
    return [[json, 'Transfer-Encoding: chunked'], chunks + last]
  }
  const body = random.pick([valid, '', '{', '{"title":1}', 'x'.repeat(random.between(1, 3000)), noise(random)])
  return [[json, `Content-Length: ${Math.max(0, body.length + random.pick([0, 0, 0, 1, -1, 100]))}`], body]
}

/** Returns a request that is valid, or hostile in one or more parts. */
const request = (random: Random, isHostile = random.chance(0.5)): string => {
  const version = isHostile ? random.pick(versions) : 'HTTP/1.1'
  const lines = random.chance(0.3) ? [random.pick(usualLines)] : []
  if (isHostile) lines.push(random.pick(hostileLines))
  const [bodyLines, body] = bodyParts(random)
  const first = `${random.pick(methods)} ${random.pick(targets)} ${version}`
  const end = isHostile ? random.pick(['\r\n\r\n', '\r\n\r\n', '\n\n', '']) : '\r\n\r\n'
  return [first, 'Host: localhost', ...lines, ...bodyLines].join('\r\n') + end + body
}

/** Removes, changes or repeats a part of the bytes. */
const damaged = (text: string, random: Random): string => {
  const at = random.between(0, text.length)
  const to = Math.min(text.length, at + random.between(0, 20))
  const instead = random.pick(['', noise(random).slice(0, 3), '\r\n', '\0', text.slice(at, to).repeat(3)])
  return text.slice(0, at) + instead + text.slice(to)
}

const bytesOfClient = (random: Random): Buffer => {
  const pipelined = random.chance(0.3) ? random.between(1, 8) : 0
  const before = Array.from({ length: pipelined }, () => request(random, false)).join('')
  const text = before + (random.chance(0.1) ? noise(random) : request(random))
  return Buffer.from(random.chance(0.25) ? damaged(text, random) : text, 'latin1')
}
