import { readValues } from '@snippets/adapters-http/request/query-string.js'
import { expect } from 'chai'
import { isLeft } from 'fp-ts/lib/Either.js'
import { hostileTable, inBothFamilies, type Row } from './hostile-table.js'

const list = '/api/snippets-viewset/'

const short = (query: string): string => (query.length > 50 ? `${query.slice(0, 40)}… (${query.length})` : query)

const refused = (query: string, ...names: readonly string[]): Row => ({
  what: `?${short(query)}`,
  target: `${list}?${query}`,
  status: 400,
  ...(names.length > 0 && { names }),
})

const served = (query: string): Row => ({ what: `?${short(query)}`, target: `${list}?${query}`, status: 200 })

const badNumbers = [
  '',
  '0',
  '-1',
  '-0',
  '00',
  '01',
  '1.0',
  '1.5',
  '1e3',
  '+1',
  '%2B1',
  '%201',
  '1%20',
  'abc',
  '0x10',
  'NaN',
  'Infinity',
  '1,2',
  '[1]',
  '%D9%A1',
  '%00',
  '1%00',
  'true',
  `${'9'.repeat(3000)}x`,
]

const badOrderings = [
  '',
  '-',
  '--title',
  '-%20title',
  'title,',
  ',title',
  ',',
  'title,,title',
  'id',
  '-id',
  'code',
  'language',
  'Title',
  'TITLE',
  'title%20desc',
  'title:desc',
  'title,-title',
  'title,title',
  '-title,title,created_at',
  'created_at.x',
  '__proto__',
  'constructor',
  '$where',
  'title%00',
  '*',
  'title;drop',
  '%F0%9F%98%80',
  `title${',title'.repeat(500)}`,
  'Q'.repeat(3000),
]

const unknownNames = [
  'x',
  'id',
  'code',
  'limit',
  'offset',
  'format',
  'Page',
  'PAGE',
  'page%00',
  '%20page',
  'page%20',
  'pages',
  'pagesize',
  'page_Size',
  'languages',
  'langauge',
  'titel',
  'oder',
  'created_at',
  'language[]',
  'language[$ne]',
  'language%5B%24ne%5D',
  'title.x',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '$where',
  '%F0%9F%98%80',
  'Q'.repeat(3000),
  '',
]

const badEncodings = ['%', '%1', '%zz', '%u0041', '%C3', '%C3%28', '%C0%AF', '%ED%A0%80', '%FF', '%F5%80%80%80', 'a%']

/** The cursor of snippet 10 in the list of all by id, and what is none. */
const cursor = 'abc233a6WyIxMCJd'
const badCursors = [
  '',
  'A',
  '0',
  '10',
  'next',
  'null',
  '%00',
  cursor.slice(0, 8),
  cursor.slice(1),
  cursor.slice(0, -1),
  cursor.toLowerCase(),
  `${cursor}A`,
  `${cursor}%3D`,
  `+${cursor}`,
  `${cursor}%0A`,
  `${cursor},${cursor}`,
  // snippet 11 with the hash of snippet 10; the same place spelt otherwise
  'CeittkU3MTEsLA',
  'CeittkU3MTAsLB',
  '%F0%9F%98%80',
  '__proto__',
  '{"$gt":""}',
  'Q'.repeat(588),
  'Q'.repeat(589),
  'Q'.repeat(3000),
]

hostileTable('hostile query strings', [
  ...['after', 'before'].flatMap(side => [
    served(`${side}=${cursor}`),
    served(`${side}=${cursor}&page=1000&page_size=3`),
    served(`${side}=${cursor}&language=&title=`),
    ...badCursors.map(value => refused(`${side}=${value}`, side)),
    refused(`${side}=${cursor}&${side}=${cursor}`, side),
    refused(`${side}=${cursor}&language=a`, side),
    refused(`${side}=${cursor}&ordering=-title`, side),
    refused(`${side}=x&page=0&page_size=0&ordering=id`, 'page', 'page_size', 'ordering', side),
  ]),
  refused(`after=${cursor}&before=${cursor}`, 'before'),
  refused('after=x&before=x', 'after', 'before'),

  ...badNumbers.flatMap(value => [refused(`page=${value}`, 'page'), refused(`page_size=${value}`, 'page_size')]),
  refused('page', 'page'),
  refused('page_size', 'page_size'),
  ...badOrderings.map(value => refused(`ordering=${value}`, 'ordering')),
  ...unknownNames.map(name => refused(`${name}=1`)),
  ...badEncodings.flatMap(value => [refused(`language=${value}`), refused(`title=x&${value}=1`)]),
  ...['page=1', 'page_size=5', 'language=a', 'title=', 'ordering=title'].map(pair =>
    refused(`${pair}&${pair}`, pair.split('=')[0] ?? ''),
  ),
  refused('language=a&language=', 'language'),
  refused('page=1&p%61ge=2', 'page'),
  refused('page=1;page_size=2', 'page'),
  refused('language=a&amp;title=b'),
  refused('?page=1'),
  refused('page=0&page_size=0&ordering=id', 'page', 'page_size', 'ordering'),
  refused('=', ''),
  refused('=1', ''),
  refused('=1&=2&page=1', '', ''),
  refused(Array.from({ length: 500 }, (_, i) => `p${i}=1`).join('&')),
  refused('language=a&'.repeat(300)),
  served(''),
  served('&'),
  served('&&page=1&&'),
  served('language'),
  served('language='),
  served('language&title'),
  served('title=='),
  served('title=a=b'),
  served('title=%00'),
  served('title=%F0%9F%98%80'),
  served('title=%EF%BB%BF'),
  served('title=%0d%0aX-Injected:1'),
  served('title=..%2F..%2F'),
  served('title={"$ne":1}'),
  served('title=__proto__'),
  served('p%61ge=1'),
  served('page=%31'),
  served(`page=1${'0'.repeat(30)}`),
  served('page=9007199254740993&page_size=9007199254740993'),
  served('page_size=101'),
  served(`page_size=1${'0'.repeat(30)}`),
  served('ordering=title%2C-created_at'),
  served('ordering=%2Dtitle'),
  served(`title=${'%41'.repeat(600)}`),
  ...[
    '',
    '%20',
    '.*',
    '%5C',
    '%00',
    '%22%00%22',
    '('.repeat(200),
    '[[:'.repeat(66),
    '(%3F%3Ca%3Ea)',
    '%22a%22%22b%22',
  ].map(text => served(`search=${text}`)),
  served(
    `search=${'%F0%9F%98%80'.repeat(200)}&title=${'%F0%9F%98%80'.repeat(100)}&language=${'%F0%9F%98%80'.repeat(50)}`,
  ),
  ...['%22', 'a%20%22b', '1+2+3+4+5+6+7+8+9', 'a'.repeat(201), '+'.repeat(201), '%F0%9F%98%80'.repeat(201)].map(text =>
    refused(`search=${text}`, 'search'),
  ),
  refused('search=a&search=b', 'search'),
  {
    what: 'raw bytes in the query that are not percent-encoded',
    target: `${list}?title=\u00e9`,
    status: 400,
    connection: 'closes',
  },
  { what: 'a query of 8192 characters', target: `${list}?title=${'a'.repeat(8186)}`, status: 200 },
  { what: 'a query of 8193 characters', target: `${list}?title=${'a'.repeat(8187)}`, status: 414 },
  ...inBothFamilies(path => [
    { what: `${path} with a 15 KB query`, target: `${path}?title=${'a'.repeat(15_000)}`, status: 414 },
    { what: `${path} with 15 KB of ampersands`, target: `${path}?${'&'.repeat(15_000)}`, status: 414 },
    { what: `${path} with 15 KB of pairs`, target: `${path}?${'a=b&'.repeat(3750)}`, status: 414 },
    { what: `${path} with 15 KB of percent signs`, target: `${path}?${'%'.repeat(15_000)}`, status: 414 },
    {
      what: `HEAD ${path} with a 15 KB query`,
      method: 'HEAD',
      target: `${path}?a=${'a'.repeat(15_000)}`,
      status: 414,
    },
    {
      what: `${path} with a 20 KB query`,
      target: `${path}?title=${'a'.repeat(20_000)}`,
      status: 431,
      connection: 'closes',
    },
    { what: `HEAD ${path} with an unknown parameter`, method: 'HEAD', target: `${path}?x=1`, status: 400 },
  ]),
  ...['page=1', 'page_size=1', 'language=a', 'title=', 'ordering=title', 'x', '%zz', '__proto__=1', '='].map(query => ({
    what: `?${query} on /api/snippets/, which takes no parameters`,
    target: `/api/snippets/?${query}`,
    status: 400,
  })),
  ...[
    'language=a',
    'title=a',
    'ordering=title',
    'username=ada',
    'page=0',
    'page_size=x',
    'page=1&page=1',
    `after=${cursor}`,
  ].map(query => ({
    what: `?${query} on /api/users/`,
    target: `/api/users/?${query}`,
    status: 400,
    names: [query.split('=')[0] ?? ''],
  })),
])

describe('A query string with more than ten faults', () => {
  it('is refused with the first ten of them', () => {
    const names = Array.from({ length: 12 }, (_, i) => `x${i}`)
    const read = readValues(names.join('&'), [])
    const errors = isLeft(read) ? read.left.errors : []
    expect(errors?.map(error => 'parameter' in error && error.parameter)).to.deep.equal(names.slice(0, 10))
  })
})
