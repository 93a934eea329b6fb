import { expect } from 'chai'
import { header, listed, problemOf } from '../../support/http/representations.js'
import { explicit, generated, type Workspace } from './workspace.js'

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

const methodNames = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'MKCOL', 'PURGE']

/** HEAD, OPTIONS and 405, then redirects, unknown paths and malformed ids. */
export const methods = ({ client, create }: Workspace): void => {
  const targetFor = async (path: string): Promise<string> => {
    if (path.includes('users')) return path.replace('{id}', '1')
    return path.includes('{id}') ? path.replace('{id}', (await create()).id) : path
  }

  for (const { path, allow } of resources) {
    describe(path, () => {
      it(`answers OPTIONS with Allow: ${allow}`, async () => {
        const answer = await client().options(await targetFor(path))
        expect(answer.status).to.equal(204)
        expect(answer.text).to.equal('')
        expect(listed(header(answer, 'Allow'))).to.deep.equal(listed(allow))
        const patches = listed(allow).includes('PATCH')
        expect(answer.headers['accept-patch']).to.equal(
          patches ? 'application/json, application/merge-patch+json' : undefined,
        )
      })

      for (const method of methodNames.filter(name => !listed(allow).includes(name)))
        it(`answers ${method} with 405 and Allow`, async () => {
          const target = await targetFor(path)
          const body = '{"title":"t","code":"c","language":"l"}'
          const json = { body, headers: { 'Content-Type': 'application/json' } }
          const answer = await client().ask({ method, target, ...(method === 'TRACE' ? {} : json) })
          expect(answer.status).to.equal(405)
          expect(listed(header(answer, 'Allow'))).to.deep.equal(listed(allow))
          expect(problemOf(answer).status).to.equal(405)
          if (!path.includes('users')) expect((await client().head(target)).status).to.equal(200)
        })

      if (path !== explicit)
        it('answers HEAD with the headers of GET and no body', async () => {
          const target = await targetFor(path)
          const [get, head] = [await client().get(target), await client().head(target)]
          expect(head.status).to.equal(get.status)
          expect(head.text).to.equal('')
          const comparable = ({ 'x-request-id': _, date: __, ...rest }: Readonly<Record<string, string>>) => rest
          expect(comparable(head.headers)).to.deep.equal(comparable(get.headers))
          expect(header(head, 'Content-Length')).to.equal(String(get.body.length))
        })

      it('answers a missing trailing slash with 308, and keeps the query', async () => {
        const target = await targetFor(path)
        const bare = target.slice(0, -1)
        for (const query of ['', '?page=2&language=a%20b+c', '?x=%zz']) {
          for (const method of ['GET', 'HEAD', 'POST', 'DELETE']) {
            const answer = await client().ask({ method, target: bare + query })
            expect(answer.status).to.equal(308)
            const { pathname, search } = new URL(header(answer, 'Location'), 'http://any')
            expect(pathname + search).to.equal(target + query)
            if (method !== 'HEAD') expect(answer.text).to.contain(header(answer, 'Location'))
          }
        }
      })
    })
  }

  describe(`HEAD ${explicit}`, () => {
    it('has the status and Content-Type of GET and no body', async () => {
      const head = await client().head(explicit)
      expect(head.status).to.equal(200)
      expect(head.text).to.equal('')
      expect(header(head, 'Content-Type')).to.equal('application/json')
    })
  })

  describe('An unknown path', () => {
    for (const path of [
      '/',
      '/api',
      '/api/',
      '/api/snippet/',
      '/Api/snippets/',
      '/api/Snippets/',
      '/api//snippets/',
      '//api/snippets/',
      '/api/snippets//',
      '/api/snippets/1/2/',
      '/api/snippets/config/x/',
      '/api/snippets/1/Raw/',
      '/api/snippets/1/raw//',
      '/api/snippets//raw/',
      '/api/snippets/raw/1/',
      '/api/snippets-viewset/1/raw/',
      '/api/snippets_viewset/',
      '/snippets/',
      '/api/users/1/x/',
      '/api/schema/x/',
      '/favicon.ico',
    ])
      it(`answers every method with 404: ${path}`, async () => {
        for (const method of methodNames) {
          const answer = await client().ask({ method, target: path })
          expect(answer.status).to.equal(404)
        }
      })
  })

  for (const path of [explicit, generated]) {
    describe(`${path}{id}/`, () => {
      for (const id of [
        '0',
        '-1',
        '01',
        '1.0',
        '1e0',
        '+1',
        '%201',
        'abc',
        '9223372036854775808',
        '18446744073709551617',
        '%zz',
        '%00',
      ])
        it(`answers 404 to the malformed id ${id}`, async () => {
          const body = { title: 't', code: 'c', language: 'l' }
          const target = `${path}${id}/`
          const answers = [await client().get(target), await client().put(target, body), await client().delete(target)]
          if (path === generated) answers.push(await client().patch(target, body))
          expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 404))
        })
    })
  }
}
