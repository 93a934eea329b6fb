import { expect } from 'chai'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { header, problemOf } from '../../support/http/representations.js'
import { snippetText } from '../../support/http/wire.js'
import { type HostileRequest, hostileTable, row } from './hostile-table.js'

const list = '/api/snippets/'

const redirect = (target: string, to: string): HostileRequest =>
  row(308, `GET ${target}`, { also: response => expect(header(response, 'Location')).to.equal(to) })

const unknown = [
  ...['//', '/..', '/api/./snippets/', '/x/../api/snippets/{id}/', '/api/snippets/%2e%2e/snippets/{id}/'],
  ...['/api%2Fsnippets/', '/api/%73nippets/', '/api\\snippets\\', '/api/snippets;a=b/', '/api/#snippets/', '/livez'],
  ...['http://snippets.localhost', 'ftp://snippets.test/api/snippets/', `/${'Q'.repeat(6000)}`],
]

hostileTable('hostile paths', [
  ...unknown.map(path => row(404, `POST ${path}`, { body: snippetText })),
  redirect('/api/snippets?a=//elsewhere.test/&b=%0d%0aX:1', `${list}?a=//elsewhere.test/&b=%0d%0aX:1`),
  redirect('/api/snippets/<">?x=`', '/api/snippets/%3C%22%3E/?x=%60'),
  ...['http://localhost', 'https://A.Localhost:80', 'http://[::1]:80'].map(start =>
    redirect(`${start}/api/snippets`, list),
  ),
  row(308, 'POST /api/snippets', { body: snippetText }),
  row(200, `GET HTTP://SNIPPETS.LOCALHOST${list}{id}/`),
  row(400, `GET http://snippets.localhost${list}?x=1`),
  row(200, `GET ${list}{id}/?page=1&x`),
  row(201, `POST ${list}?x=1`, { body: snippetText }),
  row(400, `GET ${list}\u0661/`, {
    connection: 'closes',
    also: response => expect(problemOf(response).detail).to.equal('The request target must be percent-encoded ASCII.'),
  }),
  ...[`${list}a b/`, 'api/snippets/'].map(path => row(400, `GET ${path}`, { connection: 'closes' })),
])

const saysWhatAnIdIs = (response: HttpResponse) =>
  expect(problemOf(response).detail).to.contain('a whole number from 1 to 9223372036854775807')

/** Malformed ids. Some resemble the id of an existing snippet. */
const likeNumbers = ['0', '0{id}', '{id}.0', '+{id}', '%20{id}', '{id}%0A', '{id}n', '1,000']
const encoded = ['%3{id}', '%63onfig', '%D9%A1', '{id}%00', '%zz', '%FF', '{id}%2F', '..%2F{id}']
const unknownIds = ['9007199254740993', '9223372036854775807', '9223372036854775808', '9'.repeat(5000)]

hostileTable('hostile ids', [
  ...[...likeNumbers, ...encoded, ...unknownIds, 'CONFIG', '__proto__', '*'].map(id =>
    row(404, `PATCH /api/snippets-viewset/${id}/`, { body: '{}' }),
  ),
  ...['0', '%31', '9223372036854775808'].flatMap(id =>
    ['GET /api/users/', `GET ${list}`, `DELETE ${list}`].map(request =>
      row(404, `${request}${id}/`, { also: saysWhatAnIdIs }),
    ),
  ),
])

const badNames = ['', 'a b', 'user@a.test', '-a', '<a>', 'a,b', 'a'.repeat(254)]
const badAddresses = ['[::::]', '[1.2.3.4]', '[::1', '::1', '[::1]x']
const badPorts = ['a.test:port', 'a.test:65536', ':80']
const authorities = [
  ...['A-b.Localhost:8080', 'a.localhost:65535', 'a.localhost:', `${'a'.repeat(243)}.localhost`],
  ...['127.0.0.1', '[fe80::A]:8000'],
]

hostileTable('hostile hosts', [
  ...[...badNames, ...badAddresses, ...badPorts].flatMap(authority => [
    row(400, `GET ${list}`, { hosts: [authority], connection: 'may close' }),
    row(400, `GET http://${authority}${list}`, { connection: 'may close' }),
  ]),
  ...authorities.flatMap(authority => [
    row(200, `GET ${list}`, { hosts: [authority] }),
    row(200, `GET http://${authority}${list}`),
  ]),
  ...[[], ['a', 'b'], ['a', 'a']].map(hosts => row(400, `GET ${list}`, { hosts, connection: 'may close' })),
])
