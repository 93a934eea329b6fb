import { expect } from 'chai'
import { eventually } from '../../support/eventually.js'
import { openConnection } from '../../support/http/raw-http.js'
import { problemOf } from '../../support/http/representations.js'
import { chunk, chunked, json, lastChunk, observer, requestHead } from '../../support/http/wire.js'
import type { ServiceOptions } from '../../support/service/in-process.js'
import { servicePerTest, sharedService } from '../../support/service/mocha-service.js'

const snippets = '/api/snippets/'
const users = '/api/users/'
const config = '/api/snippets/config/'
const origin = 'https://a.example'

const head = (method: string, target: string, ...lines: readonly string[]): string =>
  requestHead(method, target, `Origin: ${origin}`, ...lines)
const get = head('GET', users)
const posted = head('POST', snippets, json, chunked)
const garbage = 'this is no request\r\n\r\n'
const broken = 'zz\r\n'
const smallChunks = chunk(' ').repeat(300)
const twoOrigins: ServiceOptions = { corsOrigins: ['https://b.example', origin] }
const late: ServiceOptions = { limits: { requestMs: 100 } }

const closes = { connection: 'close' }
const stays = { connection: 'keep-alive', 'keep-alive': 'timeout=65' }
const retry = { 'retry-after': '1' }
const bearer = { 'www-authenticate': 'Bearer realm="snippets"' }

/** The headers that are equal in every problem. */
const headersOfAll = {
  'content-type': 'application/problem+json',
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  vary: 'Origin',
  'access-control-allow-origin': origin,
  'access-control-expose-headers': 'Count-Precision,ETag,Idempotency-Replayed,Location,Retry-After,X-Request-Id',
}

/** The input in words and in packets, the expected response with its observation, its further headers, and options. */
type Row = readonly [
  what: string,
  packets: readonly string[],
  expected: string,
  headers: Readonly<Record<string, string>>,
  options?: ServiceOptions,
]

/** The last request of each row is rejected. The earlier ones have other responses. */
const rejected: readonly Row[] = [
  // without the app
  ['bytes that are not HTTP', [garbage], '400 bad-request none rejected', closes],
  ['bytes that are not HTTP after a response', [get, garbage], '400 bad-request none rejected', closes],
  ['a target that is not ASCII', [head('GET', '/\u00e9')], '400 bad-request none rejected', closes],
  ['CONNECT', [head('CONNECT', 'a:80')], '400 bad-request none rejected', closes],
  ['a head of 20 KB', [head('GET', `/${'x'.repeat(20_000)}`)], '431 headers-too-large none rejected', closes],
  ['an unfinished head', [get.slice(0, -2)], '408 request-timeout none rejected', closes, late],
  [
    'a queued chunked body',
    [get + posted],
    '503 overloaded none rejected pipelining',
    { ...closes, ...retry },
    twoOrigins,
  ],
  [
    'a broken chunk behind a request',
    [`${head('GET', users, 'Content-Length: 1')}x${posted}${broken}`],
    '400 bad-request none rejected',
    closes,
    twoOrigins,
  ],
  // instead of the app
  ['a broken chunk', [posted + broken], `400 bad-request POST ${snippets}`, closes],
  ['a broken chunk after a good one', [posted, chunk('{') + broken], `400 bad-request POST ${snippets}`, closes],
  ['300 small chunks', [posted + smallChunks], `413 body-too-large POST ${snippets}`, closes],
  ['a long chunk extension', [`${posted}1;${'x'.repeat(20_000)}\r\n`], `413 body-too-large POST ${snippets}`, closes],
  ['an unfinished body', [posted + chunk('{')], `408 request-timeout POST ${snippets}`, closes, late],
  [
    'a redirect with a broken chunk',
    [head('POST', '/api/snippets', chunked) + broken],
    '400 bad-request POST none',
    closes,
  ],
  ['a 405 with a broken chunk', [head('POST', users, chunked) + broken], '400 bad-request POST none', closes],
  // by the app
  ['101 fields', [head('GET', users, ...Array(99).fill('a: b'))], '431 headers-too-large GET none', closes],
  ['an unknown expectation', [head('GET', users, 'Expect: miracles')], '417 expectation-failed GET none', closes],
  ['two hosts', [head('GET', users, 'Host: b')], '400 bad-request GET none', closes],
  ['no token', [get], '401 unauthorized GET none', { ...stays, ...bearer }, { tokens: [] }],
  [
    'OPTIONS without a token',
    [head('OPTIONS', users)],
    '401 unauthorized OPTIONS none',
    { ...stays, ...bearer },
    { tokens: [] },
  ],
  ['an unknown path', [head('DELETE', '/x')], '404 unknown-path DELETE none', stays],
  [
    'another method',
    [head('DELETE', users)],
    '405 method-not-allowed DELETE none',
    { ...stays, allow: 'GET, HEAD, OPTIONS' },
  ],
  ['a long query', [head('GET', `${users}?${'x'.repeat(9000)}`)], `414 query-too-long GET ${users}`, stays],
  [
    'a type',
    [head('POST', snippets)],
    `415 unsupported-media-type POST ${snippets}`,
    { ...stays, 'accept-post': 'application/json' },
  ],
  ['a body of 300 KB', [posted + chunk(' '.repeat(300_000)) + lastChunk], `413 body-too-large POST ${snippets}`, stays],
]

/** A request that has a response before its body is complete gets no second one. */
const answered: readonly Row[] = [
  ['a 404 and a broken chunk', [head('POST', '/x', chunked), broken], '404 unknown-path POST none', stays],
  [
    'a 404 and small chunks',
    [head('DELETE', `${snippets}1/`, chunked), smallChunks],
    '404 not-found DELETE /api/snippets/:id/',
    stays,
  ],
  ['a 401 and a broken chunk', [posted, broken], '401 unauthorized POST none', { ...stays, ...bearer }, { tokens: [] }],
  ['a 404 and a late body', [head('DELETE', '/x', chunked)], '404 unknown-path DELETE none', stays, late],
  [
    'a 404 and a broken chunk in one packet',
    [head('GET', '/x', chunked) + broken],
    '404 unknown-path GET none',
    closes,
  ],
]

describe('The service', () => {
  const { observe, seen } = observer()
  const all: ServiceOptions = { observe, corsOrigins: [origin] }
  const shared = sharedService(all)
  const start = servicePerTest()

  const expectOnly = async ([, packets, expected, headers, options]: Row, isEnding = false): Promise<void> => {
    const { url } = options === undefined ? shared : await start({ ...all, ...options })
    seen.length = 0
    const connection = await openConnection(url)
    for (const packet of packets) {
      connection.send(packet)
      // by then the service has read the packet
      await fetch(url + config, { headers: { 'X-Request-Id': 'other' } })
    }
    let response = await connection.response('')
    while (response.status < 300) response = await connection.response('')
    const { date: _date, 'content-length': _length, 'x-request-id': requestId, ...others } = response.headers
    expect(others).to.deep.equal({ ...headersOfAll, ...headers })
    if (headers === closes || isEnding) expect(await connection.ended()).to.equal('closed')
    const observed = () => seen.filter(({ requestId, status = 500 }) => requestId !== 'other' && status >= 300)
    await eventually(() => observed().length > 0)
    const { type } = problemOf(response)
    expect(
      observed().map(({ method, route, limit, ...observation }) => [
        [observation.status, observation.problem?.replace('urn:snippets:', ''), method, route, limit].join(' ').trim(),
        observation.requestId,
        observation.problem,
        observation.clientLeft,
        observation.bytes > response.body.length,
      ]),
    ).to.deep.equal([[expected, requestId, type, false, true]])
    connection.destroy()
  }

  for (const row of rejected) it(`rejects ${row[0]} with ${row[2]}`, () => expectOnly(row))
  for (const row of answered) it(`sends one response, then closes, for ${row[0]}`, () => expectOnly(row, true))
})
