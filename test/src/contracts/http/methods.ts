import { expect } from 'chai'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { header, problemOf } from '../../support/http/representations.js'
import { snippetText } from '../../support/http/wire.js'
import { explicit, generated, type Sandbox } from './sandbox.js'

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

/** Tests the methods of each path, unknown paths and X-Request-Id. */
export const methods = ({ client, create, deletedSnippet }: Sandbox): void => {
  const targetFor = async (path: string): Promise<string> => {
    if (path.includes('users')) return path.replace('{id}', '1')
    return path.includes('{id}') ? path.replace('{id}', (await create()).id) : path
  }
  const ask = (method: string, target: string): Promise<HttpResponse> => {
    const withBody = { body: snippetText, headers: { 'Content-Type': 'application/json' } }
    return client().request({ method, target, ...(method === 'TRACE' ? {} : withBody) })
  }

  for (const { path, allow } of resources)
    it(`${path} allows ${allow}, answers HEAD like GET, and returns 405 for other methods`, async () => {
      const target = await targetFor(path)
      const options = await client().options(target)
      expect([options.status, options.text, header(options, 'Allow')]).to.deep.equal([204, '', allow])
      const patches = allow.includes('PATCH') ? 'application/json, application/merge-patch+json' : undefined
      expect(options.headers['accept-patch']).to.equal(patches)
      for (const method of methodNames.filter(name => !allow.split(', ').includes(name))) {
        const response = await ask(method, target)
        expect([response.status, header(response, 'Allow')]).to.deep.equal([405, allow])
        expect(problemOf(response).detail).to.contain(`does not support ${method}; it supports ${allow}`)
      }
      // the explicit list has no known length, and may be too long for this test
      if (path === explicit) return
      const [head, get] = [await client().head(target), await client().get(target)]
      const comparable = ({ 'x-request-id': _, date: __, ...rest }: HttpResponse['headers']) => rest
      expect([head.status, head.text]).to.deep.equal([get.status, ''])
      expect(comparable(head.headers)).to.deep.equal(comparable(get.headers))
    })

  it('A path without its trailing slash is redirected with 308, and keeps the query', async () => {
    for (const { path } of resources)
      for (const query of ['', '?page=2&language=a%20b+c']) {
        const target = await targetFor(path)
        const response = await client().delete(target.slice(0, -1) + query)
        expect(response.status).to.equal(308)
        const { pathname, search } = new URL(header(response, 'Location'), 'http://any')
        expect(pathname + search).to.equal(target + query)
      }
  })

  it('An unknown path returns 404 for every method, and names the known paths', async () => {
    const { detail } = problemOf(await client().get('/'))
    for (const path of [explicit, generated, '/api/users/', '/api/schema/']) expect(detail).to.contain(path)
    for (const path of ['/', '/api/Snippets/', '/api//snippets/', '/api/snippets//', '/api/snippets/1/2/'])
      for (const method of methodNames) expect((await ask(method, path)).status, `${method} ${path}`).to.equal(404)
  })

  it('A well-formed X-Request-Id is returned unchanged', async () => {
    for (const given of ['7d444840-9dc0-11d1-b245-5ffdce74fad2', 'x'.repeat(128)])
      for (const target of [generated, await deletedSnippet(generated), '/nowhere/', '/api/snippets/config'])
        expect(header(await client().get(target, { 'X-Request-Id': given }), 'X-Request-Id')).to.equal(given)
  })
}
