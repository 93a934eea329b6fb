import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { header, pageOf, problemOf, snippetOf, snippetsOf } from '../../support/http/representations.js'
import { bodyOf } from '../../support/samples.js'
import { explicit, families, generated, type Sandbox } from './sandbox.js'

/** On a larger collection, reading the whole list would take too long for these tests. */
const maxRead = 100_000

/** Members of a body that the service ignores, so that a PUT may send the result of a GET. */
const ignored = { id: 1, created_at: '2001-01-01T00:00:00.000Z', version: 7, owner: { name: 'x' } }

/** Tests reading and writing in both families. A PATCH is a merge patch (RFC 7396). */
export const snippets = ({ client, create, marker }: Sandbox): void => {
  for (const { path } of families) {
    it(`POST ${path} returns 201 with the snippet, its Location and its ETag, as both families return it`, async () => {
      const given = bodyOf({ title: ' "\\\u0000\u2028\ufeff😀', code: '\r\n\t\u001f{}', language: marker() })
      const earlier = await create()
      const created = await client().post(path, { ...given, ...ignored })
      expect(created.status).to.equal(201)
      const { id, created_at, ...content } = snippetOf(created)
      expect(Object.keys(snippetOf(created))).to.deep.equal(['id', ...contentFieldNames, 'created_at'])
      expect(content).to.deep.equal(given)
      expect(BigInt(id) > BigInt(earlier.id)).to.equal(true)
      expect(created_at)
        .to.match(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/)
        .and.not.to.equal(ignored.created_at)
      expect(new URL(header(created, 'Location'), 'http://any').pathname).to.equal(`${path}${id}/`)
      expect(header(created, 'ETag')).to.match(/^"[^"]+"$/)
      for (const { path: other } of families) {
        const read = await client().get(`${other}${id}/`)
        expect([read.status, read.text, read.headers.etag]).to.deep.equal([200, created.text, created.headers.etag])
      }
    })

    it(`DELETE ${path}{id}/ returns 204 without a body, then every request for the snippet gets 404`, async () => {
      const { id, language } = await create()
      const deleted = await client().delete(`${path}${id}/`)
      expect([deleted.status, deleted.text]).to.deep.equal([204, ''])
      const body = bodyOf({ language })
      const responses = [await client().delete(`${path}${id}/`), await client().patch(`${generated}${id}/`, body)]
      for (const { path: other } of families)
        responses.push(await client().put(`${other}${id}/`, body), await client().get(`${other}${id}/`))
      responses.push(await client().get(`${explicit}${id}/raw/`))
      const missing = { type: 'urn:snippets:not-found', status: 404, detail: 'There is no item with this id.' }
      for (const response of responses) expect(problemOf(response)).to.include(missing)
      const list = await client().get(`${generated}?language=${encodeURIComponent(language)}`)
      expect(pageOf(list).count).to.equal(0)
    })
  }

  const whole = () => bodyOf({ title: 'new', code: 'newer', language: marker() })
  const fields = contentFieldNames.map(field => () => ({ [field]: marker() }))
  for (const [method, path, changesOf] of [
    ...families.map(({ path }) => ['put', path, [whole]] as const),
    ['patch', generated, [whole, ...fields]] as const,
  ])
    it(`${method.toUpperCase()} ${path}{id}/ changes the fields in the body and the ETag, as both families show`, async () => {
      for (const changes of changesOf.map(make => make())) {
        const before = await create()
        const old = header(await client().get(`${path}${before.id}/`), 'ETag')
        const written = await client()[method](`${path}${before.id}/`, { ...changes, ...ignored })
        expect(written.status).to.equal(200)
        expect(snippetOf(written)).to.deep.equal({ ...before, ...changes })
        expect(header(written, 'ETag')).not.to.equal(old)
        for (const { path: other } of families) {
          const { text, headers } = await client().get(`${other}${before.id}/`)
          expect([text, headers.etag]).to.deep.equal([written.text, written.headers.etag])
        }
      }
    })

  it(`GET ${explicit} lists every snippet once, by id, as GET of the snippet shows it`, async function () {
    if (pageOf(await client().get(generated)).count > maxRead) this.skip()
    const language = marker()
    const created = [await create({ language }), await create({ language })]
    const response = await client().get(`${explicit}?`)
    expect([response.status, header(response, 'Content-Type')]).to.deep.equal([200, 'application/json'])
    expect(response.text).to.match(/^\{"snippets":\[.*\]\}$/s)
    expect(response.text).to.include((await client().get(`${explicit}${created[1]?.id}/`)).text)
    const snippets = snippetsOf(response)
    expect(snippets.filter(snippet => snippet.language === language)).to.deep.equal(created)
    const ids = snippets.map(({ id }) => BigInt(id))
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))).to.equal(true)
  })

  it(`GET ${explicit}{id}/raw/ returns the bytes of the code as sandboxed plain text`, async () => {
    const code = '\ufeff#!/bin/sh\r\né😀\u0000<script>alert(1)</script>'
    const { id } = await create({ code })
    const response = await client().get(`${explicit}${id}/raw/`)
    expect(response.body.equals(Buffer.from(code))).to.equal(true)
    expect(response.headers).to.include({
      'content-type': 'text/plain; charset=utf-8',
      'content-security-policy': "sandbox; default-src 'none'",
      etag: header(await client().get(`${explicit}${id}/`), 'ETag'),
    })
  })
}
