import { hostileTable, inBothFamilies, type Row, validBody } from '../support/hostile-table.js'

/** What is no canonical id of a snippet that exists, though it may look like one. */
const nobodysIds = [
  '0',
  '-0',
  '-1',
  '00',
  '0{id}',
  '00{id}',
  '{id}.0',
  '{id}.',
  '.{id}',
  '{id}e0',
  '{id}E0',
  '1e3',
  '+{id}',
  '%2B{id}',
  '%20{id}',
  '{id}%20',
  '{id}%0A',
  '%3{id}',
  '0x1',
  '0b1',
  '{id}n',
  '1_0',
  '1,000',
  'Infinity',
  'NaN',
  'null',
  'undefined',
  'true',
  'abc',
  'CONFIG',
  'Config',
  '%63onfig',
  'config.json',
  '__proto__',
  'constructor',
  'toString',
  '%D9%A1',
  '%EF%BC%91',
  '%C2%B2',
  '\u0661',
  '9007199254740993',
  '9223372036854775806',
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775808',
  '18446744073709551616',
  // what wraps around to an id that exists, where 64 bits are cut off
  '1844674407370955161{id}',
  `1${'0'.repeat(30)}`,
  '%00',
  '{id}%00',
  '%zz',
  '%',
  '%1',
  '%C3',
  '%C0%AF',
  '%FF',
  '%2F',
  '{id}%2F',
  '..%2F{id}',
  '%2e%2e',
  '..%5C{id}',
  '{id};a=b',
  '{id},{id}',
  '*',
  '~',
  '"{id}"',
  "'{id}'",
  '{{id}}',
  '<{id}>',
  ':id',
  '{id}:',
  '-',
  '_',
  '9'.repeat(5000),
  'Q'.repeat(5000),
]

const short = (id: string): string => (id.length > 40 ? `${id.slice(0, 20)}… (${id.length} characters)` : id)

const byMethod = (path: string, id: string): readonly Row[] => {
  const methods = path.includes('viewset') ? ['PUT', 'PATCH', 'DELETE', 'HEAD'] : ['PUT', 'DELETE', 'HEAD']
  return methods.map(method => ({
    what: `${method} ${path}${short(id)}/`,
    method,
    target: `${path}${id}/`,
    ...(method[0] === 'P' && { body: validBody }),
    status: 404,
  }))
}

const writeIds = ['0', '0{id}', '{id}.0', '%3{id}', '%zz', '9223372036854775807', '9223372036854775808']

hostileTable('a hostile id', [
  ...inBothFamilies(path =>
    nobodysIds.map(id => ({ what: `GET ${path}${short(id)}/`, target: `${path}${id}/`, status: 404 })),
  ),
  ...inBothFamilies(path => writeIds.flatMap(id => byMethod(path, id))),
  ...['0', '01', '1.0', '+1', '%31', 'abc', '%zz', '%00', '9223372036854775808', '18446744073709551617'].map(id => ({
    what: `GET /api/users/${id}/`,
    target: `/api/users/${id}/`,
    status: 404,
  })),
])
