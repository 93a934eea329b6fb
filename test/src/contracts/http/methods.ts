import { expect } from 'chai'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { header } from '../../support/http/representations.js'
import { snippetText } from '../../support/http/wire.js'
import { explicit, generated, type Sandbox } from './sandbox.js'

const json = 'application/json'
const collection = 'GET, HEAD, POST, OPTIONS'
const readOnly = 'GET, HEAD, OPTIONS'

const resources = [
  { path: explicit, allow: collection },
  { path: `${explicit}{id}/`, allow: 'GET, HEAD, PUT, DELETE, OPTIONS' },
  { path: `${explicit}{id}/raw/`, allow: readOnly },
  { path: generated, allow: collection },
  { path: `${generated}{id}/`, allow: 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS' },
  { path: '/api/snippets/config/', allow: readOnly },
  { path: '/api/users/', allow: readOnly },
  { path: '/api/users/{id}/', allow: readOnly },
  { path: '/api/schema/', allow: readOnly },
]

const methodNames = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

/** Tests the methods of each path, unknown paths, X-Request-Id and unsupported headers. */
export const methods = ({ client, create, deletedSnippet }: Sandbox): void => {
  const targetFor = async (path: string): Promise<string> => {
    if (path.includes('users')) return path.replace('{id}', '1')
    return path.includes('{id}') ? path.replace('{id}', (await create()).id) : path
  }
  const ask = (method: string, target: string): Promise<HttpResponse> => {
    const withBody = { body: snippetText, headers: { 'Content-Type': json } }
    return client().request({ method, target, ...(method === 'TRACE' ? {} : withBody) })
  }

  for (const { path, allow } of resources) {
    describe(path, () => {
      it(`allows ${allow}, and returns 405 for other methods`, async () => {
        const target = await targetFor(path)
        const options = await client().options(target)
        expect([options.status, options.text]).to.deep.equal([204, ''])
        expect(header(options, 'Allow')).to.equal(allow)
        const patches = allow.includes('PATCH') ? 'application/json, application/merge-patch+json' : undefined
        expect(options.headers['accept-patch']).to.equal(patches)
        for (const method of methodNames.filter(name => !allow.split(', ').includes(name))) {
          const response = await ask(method, target)
          expect(response.status).to.equal(405)
          expect(header(response, 'Allow')).to.equal(allow)
        }
        if (!path.includes('users')) expect((await client().head(target)).status).to.equal(200)
      })

      it('answers HEAD with the headers of GET and no body', async () => {
        const target = await targetFor(path)
        const head = await client().head(target)
        expect(head.text).to.equal('')
        if (path === explicit) {
          // the explicit list has no known length, and may be too long for this test
          expect([head.status, header(head, 'Content-Type')]).to.deep.equal([200, json])
        } else {
          const get = await client().get(target)
          const comparable = ({ 'x-request-id': _, date: __, ...rest }: HttpResponse['headers']) => rest
          expect([head.status, comparable(head.headers)]).to.deep.equal([get.status, comparable(get.headers)])
        }
      })

      it('redirects a missing trailing slash with 308 and keeps the query', async () => {
        const target = await targetFor(path)
        for (const query of ['', '?page=2&language=a%20b+c'])
          for (const method of ['GET', 'DELETE']) {
            const response = await client().request({ method, target: target.slice(0, -1) + query })
            expect(response.status).to.equal(308)
            const { pathname, search } = new URL(header(response, 'Location'), 'http://any')
            expect(pathname + search).to.equal(target + query)
            expect(response.text).to.contain(header(response, 'Location'))
          }
      })
    })
  }

  describe('An unknown path', () => {
    for (const path of [
      '/',
      '/api/',
      '/api/Snippets/',
      '/api//snippets/',
      '/api/snippets//',
      '/api/snippets/1/2/',
      '/api/snippets/config/x/',
      '/api/snippets-viewset/1/raw/',
      '/api/users/1/x/',
    ])
      it(`returns 404 for every method: ${path}`, async () => {
        for (const method of methodNames)
          expect((await client().request({ method, target: path })).status).to.equal(404)
      })
  })

  describe('X-Request-Id', () => {
    it('is returned unchanged when it is well-formed', async () => {
      for (const given of ['7d444840-9dc0-11d1-b245-5ffdce74fad2', 'A', 'x'.repeat(128)]) {
        const sent = { 'X-Request-Id': given }
        for (const response of [
          await client().get(generated, sent),
          await client().get(await deletedSnippet(generated), sent),
          await client().get('/nowhere/', sent),
          await client().get('/api/snippets/config', sent),
          await client().post(explicit, {}, sent),
        ])
          expect(header(response, 'X-Request-Id')).to.equal(given)
      }
    })

    it('is generated for each request without a well-formed one', async () => {
      const bad = ['', 'a b', 'x'.repeat(129), '<script>', '\u00fc']
      const ids = new Set<string>()
      for (const given of [...bad, ...bad]) {
        const response = await client().get('/api/snippets/config/', { 'X-Request-Id': given })
        expect(header(response, 'X-Request-Id')).to.match(/^[\w-]{8,64}$/)
        ids.add(header(response, 'X-Request-Id'))
      }
      expect(ids.size).to.equal(10)
    })
  })

  describe(`GET ${generated}{id}/`, () => {
    it('ignores unsupported headers', async () => {
      const { id } = await create()
      const plain = await client().get(`${generated}${id}/`)
      for (const headers of [
        { Accept: 'text/html' },
        { 'Accept-Encoding': 'gzip, br' },
        { Range: 'bytes=0-1' },
        { 'X-HTTP-Method-Override': 'DELETE' },
        { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
        { Authorization: 'Basic !!!' },
      ]) {
        const response = await client().get(`${generated}${id}/`, headers)
        expect([response.status, response.text]).to.deep.equal([200, plain.text])
      }
    })
  })
}
