import { hostileTable, type Row, validBody } from './hostile-table.js'

const resources = [
  { target: '/api/snippets/', allow: 'GET, HEAD, POST, OPTIONS' },
  { target: '/api/snippets/{id}/', allow: 'GET, HEAD, PUT, DELETE, OPTIONS' },
  { target: '/api/snippets-viewset/', allow: 'GET, HEAD, POST, OPTIONS' },
  { target: '/api/snippets-viewset/{id}/', allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' },
  { target: '/api/snippets/config/', allow: 'GET, HEAD, OPTIONS' },
  { target: '/api/users/', allow: 'GET, HEAD, OPTIONS' },
  { target: '/api/users/1/', allow: 'GET, HEAD, OPTIONS' },
  { target: '/api/schema/', allow: 'GET, HEAD, OPTIONS' },
]

const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'MKCOL', 'LOCK', 'SEARCH', 'M-SEARCH', 'UNLINK']

const refused: readonly Row[] = resources.flatMap(({ target, allow }) =>
  methods
    .filter(method => !allow.split(', ').includes(method))
    .map(method => ({ what: `${method} ${target}`, method, target, allow, status: 405 })),
)

const withBody: readonly Row[] = resources.flatMap(({ target, allow }) => {
  const method = ['PATCH', 'POST'].find(name => !allow.split(', ').includes(name)) ?? 'SEARCH'
  return [
    { what: `${method} ${target} with a body`, method, target, allow, body: validBody, status: 405 },
    { what: `${method} ${target} with a chunked body`, method, target, allow, chunks: [validBody], status: 405 },
  ]
})

const unknown: readonly Row[] = ['FOO', 'get', 'Get', 'GETT', 'POSTS', 'G\u00cbT', '<GET>', '', 'GET,POST'].flatMap(
  method =>
    ['/api/snippets/', '/api/snippets-viewset/{id}/'].map(target => ({
      what: `the unknown method "${method}" on ${target}`,
      method,
      target,
      status: 400,
      connection: 'closes' as const,
    })),
)

hostileTable('hostile methods', [
  ...refused,
  ...withBody,
  ...unknown,
  {
    what: 'CONNECT to another host',
    method: 'CONNECT',
    target: 'elsewhere.test:443',
    status: 400,
    connection: 'closes',
  },
  { what: 'OPTIONS *', method: 'OPTIONS', target: '*', status: 204 },
  { what: 'GET *', target: '*', status: 404 },
  { what: 'the HTTP/2 connection preface', raw: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', status: 400, connection: 'closes' },
])
