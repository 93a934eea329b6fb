import { expect } from 'chai'
import { header, problemOf, snippetOf } from '../../support/http/representations.js'
import { bodyOf } from '../../support/samples.js'
import { explicit, generated, type Sandbox } from './sandbox.js'

type Headers = Readonly<Record<string, string>>

/** The statuses of a read and of a write with these headers. `stale` is the tag before the last write. */
type Condition = Readonly<{ read: number; write: number; headers: (etag: string, stale: string) => Headers }>

const conditions: readonly Condition[] = [
  { read: 200, write: 200, headers: (_, stale) => ({ 'If-None-Match': stale }) },
  { read: 200, write: 200, headers: () => ({ 'If-Match': '*' }) },
  { read: 200, write: 200, headers: etag => ({ 'If-Match': `"other",${etag}, "third"` }) },
  { read: 200, write: 200, headers: (etag, stale) => ({ 'If-Match': etag, 'If-None-Match': `"other", ${stale}` }) },
  { read: 200, write: 400, headers: () => ({ 'If-None-Match': '"' }) },
  { read: 304, write: 412, headers: etag => ({ 'If-None-Match': `"other", W/${etag} , W/"third"` }) },
  { read: 304, write: 412, headers: () => ({ 'If-None-Match': '*' }) },
  { read: 304, write: 412, headers: etag => ({ 'If-Match': etag, 'If-None-Match': etag }) },
  { read: 400, write: 400, headers: etag => ({ 'If-Match': etag.slice(1, -1) }) },
  { read: 412, write: 412, headers: (_, stale) => ({ 'If-Match': `"a", "b", ${stale}` }) },
  { read: 412, write: 412, headers: etag => ({ 'If-Match': `W/${etag}` }) },
  { read: 412, write: 412, headers: etag => ({ 'If-Match': `"0${etag.slice(1)}` }) },
  { read: 412, write: 412, headers: (etag, stale) => ({ 'If-Match': stale, 'If-None-Match': etag }) },
  // both have the form of tags of this service
  { read: 412, write: 412, headers: () => ({ 'If-Match': '"0-2"', 'If-None-Match': '"0-1"' }) },
]

/** Tests ETag, If-None-Match and If-Match (RFC 9110, section 13). */
export const preconditions = ({ client, create, marker, deletedSnippet }: Sandbox): void => {
  const body = () => bodyOf({ title: 'changed', language: marker() })
  const written = async () => {
    const { id } = await create()
    const stale = header(await client().get(`${explicit}${id}/`), 'ETag')
    const put = await client().put(`${explicit}${id}/`, body())
    return { id, snippet: snippetOf(put), stale, etag: header(put, 'ETag') }
  }

  for (const path of [`${explicit}{id}/`, `${generated}{id}/`, `${explicit}{id}/raw/`])
    it(`GET and HEAD ${path} return 200, 304, 400 or 412 by their preconditions`, async () => {
      const { id, stale, etag } = await written()
      for (const { read: status, headers: headersFor } of conditions)
        for (const method of ['get', 'head'] as const) {
          const headers = headersFor(etag, stale)
          const response = await client()[method](path.replace('{id}', id), headers)
          expect(response.status, JSON.stringify(headers)).to.equal(status)
          // a read writes nothing anyway
          if (status === 412 && method === 'get') expect(problemOf(response).detail).to.not.contain('written')
          if (status === 304) expect([response.text, header(response, 'ETag')]).to.deep.equal(['', etag])
        }
    })

  const put = (target: string, headers: Headers) => client().put(target, body(), headers)
  const remove = (target: string, headers: Headers) => client().delete(target, headers)
  const patch = (target: string, headers: Headers) => client().patch(target, {}, headers)

  for (const [method, path, write] of [
    ['PUT', explicit, put],
    ['DELETE', explicit, remove],
    ['PUT', generated, put],
    ['PATCH', generated, patch],
    ['DELETE', generated, remove],
  ] as const)
    it(`${method} ${path}{id}/ writes when its preconditions hold, else writes nothing and returns 400, 404 or 412`, async () => {
      for (const { write: status, headers: headersFor } of conditions) {
        const { id, snippet, stale, etag } = await written()
        const headers = headersFor(etag, stale)
        const response = await write(`${path}${id}/`, headers)
        const success = method === 'DELETE' ? 204 : 200
        expect(response.status, JSON.stringify(headers)).to.equal(status === 200 ? success : status)
        const read = await client().get(`${path}${id}/`)
        if (status === 200) expect(read.headers.etag).to.equal(response.headers.etag).and.not.to.equal(etag)
        else expect([snippetOf(read), header(read, 'ETag')]).to.deep.equal([snippet, etag])
      }
      const deleted = await deletedSnippet(path)
      for (const tag of ['*', '"other"']) expect((await write(deleted, { 'If-Match': tag })).status).to.equal(404)
    })

  it('POST and the lists ignore preconditions', async () => {
    for (const headers of [{ 'If-Match': '"1-1"' }, { 'If-None-Match': '*' }]) {
      expect((await client().post(generated, body(), headers)).status).to.equal(201)
      for (const list of [`${generated}?page_size=1`, '/api/users/'])
        expect((await client().get(list, headers)).status).to.equal(200)
    }
  })

  it('Exactly one of several concurrent writes with the same ETag succeeds', async () => {
    const { id, etag } = await written()
    const headers = { 'If-Match': etag }
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => [
        put(`${explicit}${id}/`, headers),
        patch(`${generated}${id}/`, headers),
        remove(`${explicit}${id}/`, headers),
      ]).flat(),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter(status => status === 200 || status === 204)).to.have.length(1)
    for (const status of statuses) expect(status).to.be.oneOf([200, 204, 404, 412])
  })
}
