import type { Random } from '../random.js'
import { anyHead, soundHead, switchingHead } from './attack-heads.js'

type Make = (random: Random) => string

const end = '\r\n\r\n'
/** Whoever attacks a service for long can find and delete what this has created by its language. */
const valid = JSON.stringify({ title: 'attack', code: 'x', language: 'attack' })
const json = 'Content-Type: application/json'

const noise: Make = random =>
  Array.from({ length: random.between(1, 200) }, () => String.fromCharCode(random.between(0, 255))).join('')

/** A TLS ClientHello's first bytes, Redis, and lines that end early or never. */
const otherProtocol: Make = random =>
  random.pick([
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '*1\r\n$4\r\nPING\r\n',
    'GET\r\n',
    'GET / ',
    '\r\n\r\n',
    '\n',
  ])

const sized: Make = random => {
  const body = random.pick([valid, '', '{', '[[[[', '{"title":1}', 'x'.repeat(random.between(1, 3000)), noise(random)])
  const length = Math.max(0, body.length + random.pick([0, 0, 0, 1, -1, 100]))
  const expects = random.chance(0.2) ? ['Expect: 100-continue'] : []
  const method = random.pick(['POST', 'PUT', 'PATCH', 'GET', 'DELETE'])
  return soundHead(random, method, json, `Content-Length: ${length}`, ...expects) + end + body
}

const chunk: Make = random => {
  const data = random.pick([valid, 'x', '', noise(random), 'x'.repeat(random.between(1, 5000))])
  const size = random.pick([data.length, data.length, data.length, data.length + 1, 0xffff_ffff])
  const digits = random.pick([size.toString(16), size.toString(16), `000${size.toString(16)}`, '-1', 'zz', ''])
  return `${digits}${random.pick(['', '', ';a=b', `;${'x'.repeat(20_000)}`, ' '])}${random.pick(['\r\n', '\r\n', '\n'])}${data}\r\n`
}

const chunked: Make = random => {
  const head = soundHead(random, random.pick(['POST', 'PUT', 'PATCH', 'GET']), json, 'Transfer-Encoding: chunked')
  const small = () => Array.from(valid, letter => `1\r\n${letter}\r\n`).join('')
  const chunks = random.chance(0.3)
    ? small()
    : Array.from({ length: random.between(0, 4) }, () => chunk(random)).join('')
  return head + end + chunks + random.pick([`0${end}`, `0${end}`, '0\r\nHost: b\r\n\r\n', '0', ''])
}

const plain: Make = random => soundHead(random, random.pick(['GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE'])) + end
const anything: Make = random =>
  anyHead(random) + random.pick([end, end, end, '\n\n', '\r\n', '']) + noiseAtTimes(random)
const switching: Make = random => switchingHead(random) + random.pick([end, end, end, '']) + noiseAtTimes(random)
const noiseAtTimes: Make = random => (random.chance(0.3) ? noise(random) : '')

const request: Make = random =>
  random.pick([plain, anything, anything, switching, switching, sized, chunked, noise, otherProtocol])(random)

const pipelined: Make = random => {
  const before = Array.from({ length: random.between(1, 8) }, () => random.pick([plain, plain, sized, chunked])(random))
  return before.join('') + request(random)
}

/** Removes, changes or repeats a piece. */
const damaged = (text: string, random: Random): string => {
  const at = random.between(0, text.length)
  const to = Math.min(text.length, at + random.between(0, 20))
  const instead = random.pick(['', noise(random).slice(0, 3), '\r\n', '\0', text.slice(at, to).repeat(3)])
  return text.slice(0, at) + instead + text.slice(to)
}

/** What one client sends on one connection. */
export const attackBytes = (random: Random): Buffer => {
  const text = (random.chance(0.3) ? pipelined : request)(random)
  return Buffer.from(random.chance(0.25) ? damaged(text, random) : text, 'latin1')
}
