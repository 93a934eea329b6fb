import { hashToken } from '@snippets/adapters-http/middleware/tokens.js'
import { defaultLimits } from '@snippets/adapters-http/server/limits.js'
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
const chunkedTo = (target: string, method = 'POST'): string => head(method, target, json, chunked)
const get = head('GET', users)
const getWithBody = `${head('GET', users, 'Content-Length: 1')}x`
const posted = chunkedTo(snippets)
const deletion = chunkedTo(`${snippets}1/`, 'DELETE')
/** HTTP/1.0 has no chunks. */
const inHttp10 = (method: string, ...lines: readonly string[]): string =>
  head(method, snippets, 'Connection: keep-alive', chunked, ...lines).replace('HTTP/1.1', 'HTTP/1.0') + lastChunk
const preflight = inHttp10('OPTIONS', 'Access-Control-Request-Method: POST')
const garbage = 'this is no request\r\n\r\n'
const broken = 'zz\r\n'
const smallChunks = chunk(' ').repeat(300)
const twoOrigins: ServiceOptions = { corsOrigins: ['https://b.example', origin] }
const late: ServiceOptions = { limits: { requestMs: 100 } }
const withTokens: ServiceOptions = { tokens: [{ name: 'ada', scope: 'write', hash: hashToken('of-ada') }] }
const token = 'Authorization: Bearer of-ada'

const closes = { connection: 'close' }
const closesForRetry = { ...closes, 'retry-after': '1' }
const stays = { connection: 'keep-alive', 'keep-alive': 'timeout=65' }
const allowsReads = { ...stays, allow: 'GET, HEAD, OPTIONS' }
const acceptsJson = { ...stays, 'accept-post': 'application/json' }
const needsToken = { ...stays, 'www-authenticate': 'Bearer realm="snippets"' }

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
  ['no byte', [], '408 request-timeout none rejected', closes, late],
  ['an unfinished head', [get.slice(0, -2)], '408 request-timeout none rejected', closes, late],
  ['a queued chunked body', [get + posted], '503 overloaded none rejected pipelining', closesForRetry, twoOrigins],
  ['a queued broken chunk', [getWithBody + posted + broken], '400 bad-request none rejected', closes, twoOrigins],
  // instead of the app
  ['a broken chunk', [posted + broken], `400 bad-request POST ${snippets}`, closes],
  ['a broken chunk after a good one', [posted, chunk('{') + broken], `400 bad-request POST ${snippets}`, closes],
  ['300 small chunks', [posted + smallChunks], `413 body-too-large POST ${snippets}`, closes],
  ['a long chunk extension', [`${posted}1;${'x'.repeat(20_000)}\r\n`], `413 body-too-large POST ${snippets}`, closes],
  ['an unfinished body', [posted + chunk('{')], `408 request-timeout POST ${snippets}`, closes, late],
  // by the app
  ['101 fields', [head('GET', users, ...Array(99).fill('a: b'))], '431 headers-too-large GET none', closes],
  ['an unknown expectation', [head('GET', users, 'Expect: miracles')], '417 expectation-failed GET none', closes],
  ['two hosts', [head('GET', users, 'Host: b')], '400 bad-request GET none', closes],
  ['chunks in HTTP/1.0', [inHttp10('POST')], '400 bad-request POST none', closes, withTokens],
  ['chunks in a preflight of HTTP/1.0', [preflight], '400 bad-request OPTIONS none', closes, withTokens],
  ['no token', [get], '401 unauthorized GET none', needsToken, withTokens],
  ['two tokens', [head('GET', users, token, token)], '401 unauthorized GET none', needsToken, withTokens],
  ['OPTIONS without a token', [head('OPTIONS', users)], '401 unauthorized OPTIONS none', needsToken, withTokens],
  ['an unknown path', [head('DELETE', '/x')], '404 unknown-path DELETE none', stays],
  ['another method', [head('DELETE', users)], '405 method-not-allowed DELETE none', allowsReads],
  ['a long query', [head('GET', `${users}?${'x'.repeat(9000)}`)], `414 query-too-long GET ${users}`, stays],
  ['no type', [head('POST', snippets)], `415 unsupported-media-type POST ${snippets}`, acceptsJson],
  ['a body of 300 KB', [posted + chunk(' '.repeat(300_000)) + lastChunk], `413 body-too-large POST ${snippets}`, stays],
]

/** A request that has a response gets no second one. */
const answered: readonly Row[] = [
  [
    'a 417 and bytes that are not HTTP in one packet',
    [head('GET', users, 'Expect: miracles') + garbage],
    '417 expectation-failed GET none',
    closes,
  ],
  ['a 404 and a broken chunk', [chunkedTo('/x'), broken], '404 unknown-path POST none', stays],
  ['a 404 and small chunks', [deletion, smallChunks], '404 not-found DELETE /api/snippets/:id/', stays],
  ['a 401 and a broken chunk', [posted, broken], '401 unauthorized POST none', needsToken, withTokens],
  ['a 404 and a late body', [chunkedTo('/x')], '404 unknown-path POST none', stays, late],
  ['a 404 and a broken chunk in one packet', [chunkedTo('/x') + broken], '404 unknown-path POST none', closes],
  [
    'a 405 and a broken chunk in one packet',
    [chunkedTo(users) + broken],
    '405 method-not-allowed POST none',
    { allow: 'GET, HEAD, OPTIONS', ...closes },
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
    if (headers.connection === 'close' || isEnding) expect(await connection.ended()).to.equal('closed')
    const observed = () => seen.filter(({ requestId, status = 500 }) => requestId !== 'other' && status >= 300)
    await eventually(() => observed().length > 0)
    const { type, detail } = problemOf(response)
    // a client can only keep to a limit that it knows
    if ([408, 414, 431].includes(response.status)) expect(detail).to.match(/ \d+ /)
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

  it('has time for a 408 before it cuts off a connection without traffic', () => {
    const checkMs = 1000
    expect(defaultLimits.stallMs).to.be.greaterThan(defaultLimits.requestMs + checkMs)
  })
})
