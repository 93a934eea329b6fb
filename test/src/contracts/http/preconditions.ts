import { expect } from 'chai'
import type { HttpResponse } from '../../support/http/raw-http.js'
import { header, snippetOf } from '../../support/http/representations.js'
import { bodyOf } from '../../support/samples.js'
import { explicit, families, generated, type Sandbox } from './sandbox.js'

type Headers = Readonly<Record<string, string>>
/** The headers for the current tag `etag` and for `stale`, the tag before the last write. */
type HeadersFor = (etag: string, stale: string) => Headers

/** The headers by the outcome, which begins with the status. */
const reads: Readonly<Record<string, readonly HeadersFor[]>> = {
  '200 when the preconditions hold': [
    () => ({ 'If-None-Match': '"other"' }),
    () => ({ 'If-None-Match': '"' }),
    () => ({ 'If-None-Match': '' }),
    etag => ({ 'If-None-Match': etag.slice(1, -1) }),
    (_, stale) => ({ 'If-None-Match': stale }),
    etag => ({ 'If-Match': `"other", ${etag}` }),
    () => ({ 'If-Match': '*' }),
  ],
  '304 when If-None-Match matches': [
    etag => ({ 'If-None-Match': etag }),
    etag => ({ 'If-None-Match': `"other", W/${etag} , W/"third"` }),
    () => ({ 'If-None-Match': '*' }),
    etag => ({ 'If-Match': etag, 'If-None-Match': etag }),
  ],
  '400 when If-Match is malformed': [() => ({ 'If-Match': '"' })],
  '412 when If-Match does not match': [
    etag => ({ 'If-Match': `W/${etag}` }),
    (etag, stale) => ({ 'If-Match': stale, 'If-None-Match': etag }),
    () => ({ 'If-Match': '"a", "b"' }),
  ],
}

const accepted: readonly HeadersFor[] = [
  etag => ({ 'If-Match': etag }),
  etag => ({ 'If-Match': `"other",${etag}, "third"` }),
  () => ({ 'If-Match': '*' }),
  (etag, stale) => ({ 'If-Match': etag, 'If-None-Match': `"other", ${stale}` }),
]

const rejected: Readonly<Record<string, readonly HeadersFor[]>> = {
  '400 when the preconditions are malformed': [
    etag => ({ 'If-Match': etag.slice(1, -1) }),
    etag => ({ 'If-Match': `${etag}, *` }),
    () => ({ 'If-Match': '"' }),
    () => ({ 'If-None-Match': '"' }),
  ],
  '412 when the preconditions fail': [
    (_, stale) => ({ 'If-Match': stale }),
    (_, stale) => ({ 'If-Match': `"a", "b", ${stale}` }),
    etag => ({ 'If-Match': `W/${etag}` }),
    etag => ({ 'If-Match': `"0${etag.slice(1)}` }),
    () => ({ 'If-Match': '' }),
    etag => ({ 'If-None-Match': etag }),
    etag => ({ 'If-None-Match': `"other", W/${etag}` }),
    () => ({ 'If-None-Match': '*' }),
    etag => ({ 'If-Match': etag, 'If-None-Match': etag }),
    // both have the form of tags of this service
    () => ({ 'If-Match': '"0-2"', 'If-None-Match': '"0-1"' }),
  ],
}

/** Tests ETag, If-None-Match and If-Match (RFC 9110, section 13). */
export const preconditions = ({ client, create, marker, deletedSnippet }: Sandbox): void => {
  const body = () => bodyOf({ title: 'changed', language: marker() })
  const written = async () => {
    const { id } = await create()
    const stale = header(await client().get(`${explicit}${id}/`), 'ETag')
    const put = await client().put(`${explicit}${id}/`, body())
    return { id, snippet: snippetOf(put), stale, etag: header(put, 'ETag') }
  }

  for (const [path, rest] of [...families.map(({ path }) => [path, ''] as const), [explicit, 'raw/'] as const]) {
    for (const [outcome, conditions] of Object.entries(reads))
      it(`GET and HEAD ${path}{id}/${rest} return ${outcome}`, async () => {
        const { id, stale, etag } = await written()
        for (const method of ['get', 'head'] as const)
          for (const condition of conditions) {
            const headers = condition(etag, stale)
            const response = await client()[method](`${path}${id}/${rest}`, headers)
            expect(response.status, JSON.stringify(headers)).to.equal(Number.parseInt(outcome, 10))
            if (response.status === 304) expect([response.text, header(response, 'ETag')]).to.deep.equal(['', etag])
          }
      })
  }

  const writes: Readonly<Record<string, (path: string, headers: Headers) => Promise<HttpResponse>>> = {
    PUT: (target, headers) => client().put(target, body(), headers),
    DELETE: (target, headers) => client().delete(target, headers),
    PATCH: (target, headers) => client().patch(target, {}, headers),
  }

  it('A request with a weak ETag in If-Match returns 412', async () => {
    const { id, etag } = await written()
    for (const ask of [client().get, ...Object.values(writes)])
      expect((await ask(`${generated}${id}/`, { 'If-Match': `W/${etag}` })).status).to.equal(412)
  })

  for (const { path } of families)
    for (const [verb, write] of Object.entries(writes).filter(([verb]) => verb !== 'PATCH' || path === generated))
      describe(`A conditional ${verb} ${path}{id}/`, () => {
        it('writes when the preconditions hold', async () => {
          for (const condition of accepted) {
            const { id, stale, etag } = await written()
            const headers = condition(etag, stale)
            const response = await write(`${path}${id}/`, headers)
            expect(response.status, JSON.stringify(headers)).to.equal(verb === 'DELETE' ? 204 : 200)
            const read = await client().get(`${path}${id}/`)
            expect(read.headers.etag).to.equal(response.headers.etag).and.not.to.equal(etag)
          }
        })

        for (const [outcome, conditions] of Object.entries(rejected))
          it(`writes nothing and returns ${outcome}`, async () => {
            const { id, snippet, stale, etag } = await written()
            for (const condition of conditions) {
              const headers = condition(etag, stale)
              const response = await write(`${path}${id}/`, headers)
              expect(response.status, JSON.stringify(headers)).to.equal(Number.parseInt(outcome, 10))
            }
            const read = await client().get(`${path}${id}/`)
            expect([snippetOf(read), header(read, 'ETag')]).to.deep.equal([snippet, etag])
          })

        it('returns 404, not 412, for a deleted snippet', async () => {
          const deleted = await deletedSnippet(path)
          expect((await write(deleted, { 'If-Match': '*' })).status).to.equal(404)
          expect((await write(deleted, { 'If-Match': '"other"' })).status).to.equal(404)
        })
      })

  it('Exactly one of several concurrent writes with the same ETag succeeds', async () => {
    const { id, etag } = await written()
    const headers = { 'If-Match': etag }
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => [
        client().put(`${explicit}${id}/`, body(), headers),
        client().patch(`${generated}${id}/`, {}, headers),
        client().delete(`${explicit}${id}/`, headers),
      ]).flat(),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter(status => status === 200 || status === 204)).to.have.length(1)
    for (const status of statuses) expect(status).to.be.oneOf([200, 204, 404, 412])
  })
}
