/** A request that may take the service long. Heads are up to 16 KB and bodies up to 256 KB, as much as it accepts. */
export type WorstRequest = Readonly<{ what: string; bytes: Buffer }>

const headBytes = 15_800
const bodyBytes = 262_000
/** Longer ones are refused unread. */
const maxQueryLength = 4090

const filled = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length))

const requestOf = (target: string, lines: readonly string[]): string =>
  `${[`GET ${target} HTTP/1.1`, 'Host: a', ...lines].join('\r\n')}\r\n\r\n`

const page = (query: string): string => requestOf(`/api/snippets-viewset/?${query}`, [])
const numbered = (piece: (i: number) => string, length: number): string => {
  let text = ''
  for (let i = 0; text.length + 20 < length; i++) text += piece(i)
  return text
}

/** Queries of this many characters. */
const queries = (length: number): Readonly<Record<string, string>> => ({
  'thousands of unknown parameters': numbered(i => `p${i}&`, length),
  'thousands of nearly right parameters': filled('langage=1&', length),
  'one parameter thousands of times': filled('page=1&', length),
  'thousands of empty parameters': filled('&', length),
  'one long unknown parameter': 'languag'.repeat(Math.floor(length / 7)),
  'one long percent-encoded title': `title=${filled('%F0%9D%92%B3', length - 6)}`,
  'one long broken percent-encoding': `title=${filled('%F0', length - 6)}`,
  'a page number of many digits': `page=${filled('9', length - 5)}`,
  'an ordering of thousands of fields': `ordering=${filled('title,-created_at,', length - 9)}`,
  'an ordering of thousands of unknown fields': `ordering=${filled('a,', length - 9)}`,
  'characters that a link must encode': `title=1&${filled('"<>`', length - 8)}`,
})

const header = (line: string, target = '/api/snippets-viewset/1/'): string => requestOf(target, [line])

const heads = (): Readonly<Record<string, string>> => ({
  'thousands of entity tags in If-None-Match': header(`If-None-Match: ${filled('"1", ', headBytes)}"0"`),
  'thousands of broken entity tags': header(`If-None-Match: ${filled('"1" W/,', headBytes)}`),
  'thousands of quotation marks in If-None-Match': header(`If-None-Match: ${filled('"', headBytes)}`),
  'thousands of spaces in If-None-Match': header(`If-None-Match: "a"${filled(' ', headBytes)}x`),
  'thousands of header lines': requestOf('/api/snippets/1/', [numbered(i => `h${i}: 1\r\n`, headBytes).trimEnd()]),
  'thousands of equal header lines': requestOf('/api/snippets/1/', [filled('Accept: a\r\n', headBytes).trimEnd()]),
  'a long Host': requestOf('/api/snippets-viewset/', [`X-Forwarded-Host: a`, `Cookie: ${filled('a=b; ', headBytes)}`]),
  'a long request id': header(`X-Request-Id: ${filled('a', headBytes)}`),
  'an id of many digits': requestOf(`/api/snippets/${filled('9', headBytes)}/`, []),
  'a path of thousands of slashes': requestOf(filled('/', headBytes), []),
  'a path of percent-encodings': requestOf(`/api/snippets/${filled('%25', headBytes)}/`, []),
  'a long absolute target': requestOf(`http://${filled('a.', headBytes)}/api/snippets-viewset/`, []),
})

const json = 'Content-Type: application/json'

const withBody = (method: string, target: string, body: string | Buffer): Buffer => {
  const head = `${method} ${target} HTTP/1.1\r\nHost: a\r\n${json}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`
  const padding = `X-Padding: ${filled('a', headBytes - head.length)}\r\n\r\n`
  return Buffer.concat([Buffer.from(head + padding), Buffer.from(body)])
}

const texts = (code: string, rest = ''): string => `{"title":"t","language":"l"${rest},"code":"${code}"}`

/** Four, one in the other, and each in all JSON with a name of its own. A comma follows. */
const nestedFields = (i: number): string => {
  const names = ['a', 'b', 'c', 'd'].map(name => `{"${name}${String(i).padStart(27, '0')}":`)
  return `${names.join('')}1}}}},`
}

const bodies = (): Readonly<Record<string, string | Buffer>> => ({
  'nested arrays': filled('[', bodyBytes / 2) + filled(']', bodyBytes / 2),
  'arrays that never end': filled('[', bodyBytes),
  'nested objects': `${filled('{"a":', bodyBytes - 10)}1`,
  'more fields than a body may have': `{${numbered(i => `"f${i}":1,`, bodyBytes)}"title":1}`,
  'as many fields as a body may have': `{${numbered(i => `"f${String(i).padStart(21, '0')}":1,`, bodyBytes)}"title":1}`,
  'as many nested fields as a body may have': `{"x":[${numbered(nestedFields, bodyBytes - 20)}1]}`,
  'one field thousands of times': `{${filled('"title":"a title of a kind",', bodyBytes - 50)}"title":1}`,
  'as many numbers as a body may have': `{"code":[${filled('1.797693134862315700000e308,', bodyBytes - 50)}1]}`,
  'one long number': `{"code":${filled('9', bodyBytes - 50)}}`,
  'a code of escapes that is too long': texts(filled('\\u0001', bodyBytes - 50)),
  'a code of surrogate pairs that is too long': texts(filled('\\ud835\\udcb3', bodyBytes - 50)),
  'a code of astral characters that is too long': texts(filled('𝒳', (bodyBytes - 50) / 2)),
  'a lone surrogate at the end': texts(`${filled('a', bodyBytes - 60)}\\ud800`),
  'invalid UTF-8 at the end': Buffer.concat([
    Buffer.from(texts(filled('é', (bodyBytes - 50) / 2))),
    Buffer.from([0xff]),
  ]),
  'the heaviest code': texts(filled('\\u0001', 60_000)),
  'white space': `${filled(' ', bodyBytes - 100)}${texts('x')}`,
  'names that nearly clash with the prototype': `{${filled('"__proto__":{"title":"as long as makes it fit the limit"},', bodyBytes - 50)}"title":"t"}`,
})

export const worstRequests = (): readonly WorstRequest[] => [
  { what: 'a page of 6 MB', bytes: Buffer.from(page('page_size=100')) },
  ...[maxQueryLength, headBytes].flatMap(length =>
    Object.entries(queries(length)).map(([what, query]) => ({
      what: `${what}, ${length} characters`,
      bytes: Buffer.from(page(query)),
    })),
  ),
  ...Object.entries(heads()).map(([what, head]) => ({ what, bytes: Buffer.from(head) })),
  ...Object.entries(bodies()).flatMap(([what, body]) => [
    { what: `POST of ${what}`, bytes: withBody('POST', '/api/snippets/', body) },
    { what: `PATCH of ${what}`, bytes: withBody('PATCH', '/api/snippets-viewset/1/', body) },
  ]),
]
