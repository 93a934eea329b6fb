import { get } from '@snippets/test/support/http/wire.js'
import { bodyOf } from '@snippets/test/support/samples.js'
import { median } from '../command.js'
import { fill } from '../measuring/load.js'
import { heaviestCode, page, posting, send } from './raw-requests.js'
import { atMost, onService } from './scenario.js'

const headBytes = 15_500
const queryBytes = 4000
const bodyBytes = 260_000

const filled = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length))
const numbered = (make: (i: number) => string, length: number): string => {
  const pieces: string[] = []
  for (let bytes = 0; bytes + 20 < length; bytes += pieces.at(-1)?.length ?? 0) pieces.push(make(pieces.length))
  return pieces.join('')
}

const list = (query: string): string => get(`/api/snippets-viewset/?${query}`)
const detail = (line: string): string => `GET /api/snippets-viewset/1/ HTTP/1.1\r\nHost: localhost\r\n${line}\r\n\r\n`
const create = (body: string): string => posting(`Content-Length: ${Buffer.byteLength(body)}`) + body
const patch = (body: string): string => create(body).replace('POST /api/snippets/', 'PATCH /api/snippets-viewset/1/')
const coded = (code: string): string => JSON.stringify(bodyOf({ code: 'RAW' })).replace('RAW', code)

const bodies: Readonly<Record<string, string>> = {
  'arrays that never end': filled('[', bodyBytes),
  'nested objects': `${filled('{"a":', bodyBytes)}1`,
  'thousands of fields': `{${numbered(i => `"f${i}":1,`, bodyBytes)}"title":1}`,
  'one field thousands of times': `{${filled('"title":"a title of a kind",', bodyBytes)}"title":1}`,
  'thousands of long numbers': `{"code":[${filled('1.797693134862315700000e308,', bodyBytes)}1]}`,
  'a code of escapes that is too long': coded(filled('\\u0001', bodyBytes)),
  'the heaviest code': coded(filled('\\u0001', 60_000)),
  'white space': `${filled(' ', bodyBytes)}${coded('x')}`,
  'names that clash with the prototype': `{${filled('"__proto__":{"title":"t"},', bodyBytes)}"title":"t"}`,
}

const heads: Readonly<Record<string, string>> = {
  'a page of 6 MB': get(page(100)),
  'thousands of unknown parameters': list(numbered(i => `p${i}&`, queryBytes)),
  'thousands of nearly right parameters': list(filled('langage=1&', queryBytes)),
  'one long percent-encoded title': list(`title=${filled('%F0%9D%92%B3', queryBytes)}`),
  'an ordering of thousands of fields': list(`ordering=${filled('title,-created_at,', queryBytes)}`),
  'thousands of broken entity tags': detail(`If-None-Match: ${filled('"1" W/,', headBytes)}`),
  'thousands of spaces in a header': detail(`If-None-Match: "a"${filled(' ', headBytes)}x`),
  'thousands of header lines': detail(numbered(i => `h${i}: 1\r\n`, headBytes).trimEnd()),
  'an id of many digits': get(`/api/snippets/${filled('9', headBytes)}/`),
  'a path of percent-encodings': get(`/api/snippets/${filled('%25', headBytes)}/`),
}

const requests: readonly (readonly [string, string])[] = [
  ...Object.entries(heads),
  ...Object.entries(bodies).flatMap(([what, body]) => [
    [`POST of ${what}`, create(body)] as const,
    [`PATCH of ${what}`, patch(body)] as const,
  ]),
]

/** Measures until the first byte: the response is ready then, and the rest is sent while other requests are served. */
export const worstRequest = onService('worst-request', async ({ port }) => {
  await fill(port, 100, heaviestCode)
  const times: (readonly [string, number])[] = []
  for (const [what, bytes] of requests) {
    const taken: number[] = []
    for (let i = 0; i < 7; i++) {
      const { status, ms } = await send(port, bytes)
      if (status === 0 || status >= 500) throw new Error(`${what} was answered with ${status}`)
      taken.push(ms)
    }
    times.push([what, median(taken)])
  }
  times.sort(([, a], [, b]) => b - a)
  for (const [what, ms] of times.slice(0, 5)) console.error(`${what}: ${ms.toFixed(1)} ms`)
  const [worst = ['', 0]] = times
  return [atMost(`the worst single request, ${worst[0]}`, worst[1], 50, ' ms')]
})
