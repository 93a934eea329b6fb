import { expect } from 'chai'
import { problemOf } from '../../support/http/representations.js'
import { type HostileRequest, hostileTable, row } from './hostile-table.js'

const list = '/api/snippets-viewset/'

const rejected = (query: string, ...names: readonly string[]): HostileRequest =>
  row(400, `GET ${list}?${query}`, names.length > 0 ? { names } : {})

const served = (query: string): HostileRequest => row(200, `GET ${list}?${query}`)

const badNumbers = ['0', '-1', '01', 'Infinity', `${'9'.repeat(3000)}x`, '1.0', '%2B1', '1%20', '1%00']
const badOrderings = ['title,', '--title', '%20title', 'id', '__proto__', `title${',title'.repeat(500)}`]
const unknownNames = ['', 'id', '__proto__', '%F0%9F%98%80'.repeat(50), 'page%00', 'language[$ne]', '?page']
const badEncodings = ['%', '%zz', '%C0%AF', '%ED%A0%80', '%F5%80%80%80']

/** The cursor of snippet 10 in the list by id, and invalid cursors. */
const cursor = 'abc233a6WyIxMCJd'
const cutCursors = [cursor.slice(0, 8), cursor.slice(1), `${cursor}A`, `${cursor}%3D`]
const notCursors = ['10', '%00', cursor.toLowerCase(), 'Q'.repeat(2001)]
// snippet 11 with the checksum of snippet 10; the same position in another spelling
const forgedCursors = ['CeittkU3MTEsLA', 'CeittkU3MTAsLB']
const notPositions = ['[{"toString":0}]', '[10]', '[]', 'null'].map(
  json => `abcdef01${Buffer.from(json).toString('base64url')}`,
)

const long = 'Q'.repeat(3000)
const longEmoji = (length: number): string => '%F0%9F%98%80'.repeat(length)

hostileTable('hostile query strings', [
  ...[...cutCursors, ...notCursors, ...forgedCursors, ...notPositions].map(value =>
    rejected(`after=${value}`, 'after'),
  ),
  ...['after', 'before'].flatMap(side => [
    served(`${side}=${cursor}&page=1000&page_size=3&language=&title=`),
    served(`${side}=&page=&page_size=&ordering=&search=`),
  ]),
  rejected('page=0&page_size=0&ordering=id', 'page', 'page_size', 'ordering'),
  ...badNumbers.map(value => rejected(`page=${value}&page_size=${value}`, 'page', 'page_size')),
  ...badOrderings.map(value => rejected(`ordering=${value}`, 'ordering')),
  ...unknownNames.map(name => rejected(`${name}=1`)),
  ...[`ordering=${long}`, `%zz${long}=1`, `language${long}=1`].map(query => rejected(query)),
  ...badEncodings.map(value => rejected(`language=${value}&${value}=1`, 'language', value)),
  rejected('page=1&p%61ge=2', 'page'),
  rejected('page=1;page_size=2', 'page'),
  rejected('=1&=2&page=1', '', ''),
  row(400, `GET ${list}?${'&x=1'.repeat(12)}`, {
    what: 'more than ten faults, with the first ten',
    also: response => expect(problemOf(response).errors).to.have.length(10),
  }),
  ...['', '&&page=1&&', 'language', 'title==', 'title=%00', 'title={"$ne":1}', 'title=%0d%0aX-Injected:1'].map(served),
  ...['p%61ge=%31', 'ordering=%2Dtitle%2Ccreated_at', `page=1${'0'.repeat(30)}`].map(served),
  ...['%20', '.*', '%5C', '%22%00%22', '[[:'.repeat(66), '%22a%22%22b%22', 'a%20%22b'].map(text =>
    served(`search=${text}`),
  ),
  ...['1+2+3+4+5+6+7+8+9', '+'.repeat(201), longEmoji(201)].map(text => rejected(`search=${text}`, 'search')),
  row(400, `GET ${list}?title=\u00e9`, { connection: 'closes' }),
  served(`title=${'a'.repeat(8186)}`),
  row(414, `GET ${list}?title=${'a'.repeat(8187)}`),
  row(414, `GET /api/snippets/?${'%'.repeat(15_000)}`),
  row(431, `GET ${list}?title=${'a'.repeat(20_000)}`, { connection: 'closes' }),
  row(400, `HEAD ${list}?x=1`),
  ...['page=1', '%zz', '='].map(query => row(400, `GET /api/snippets/?${query}`)),
])
