import { contentFieldNames } from '@snippets/domain/entities/snippet.js'
import { expect } from 'chai'
import { header, pageOf, problemOf, snippetOf, snippetsOf } from '../../support/http/representations.js'
import { bodyOf } from '../../support/samples.js'
import { explicit, families, generated, type Sandbox } from './sandbox.js'

/** On a larger collection, reading the whole list would take too long for these tests. */
const maxRead = 100_000

/** Tests reading and writing in both families. A PATCH is a merge patch (RFC 7396). */
export const snippets = ({ client, create, marker }: Sandbox): void => {
  for (const { path } of families) {
    describe(`POST ${path}`, () => {
      it('returns 201 with snippet, Location and ETag, and both families return the same snippet', async () => {
        const given = bodyOf({ language: marker() })
        const created = await client().post(path, given)
        expect(created.status).to.equal(201)
        expect(created.text).to.match(/^\{"id":[1-9][0-9]*,/)
        const { id, created_at } = snippetOf(created)
        expect(snippetOf(created)).to.deep.include(given)
        expect(created_at).to.match(/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/)
        expect(new URL(header(created, 'Location'), 'http://any').pathname).to.equal(`${path}${id}/`)
        expect(header(created, 'ETag')).to.match(/^"[^"]+"$/)
        for (const { path: other } of families) {
          const read = await client().get(`${other}${id}/`)
          expect([read.status, read.text]).to.deep.equal([200, created.text])
          expect(header(read, 'ETag')).to.equal(header(created, 'ETag'))
        }
      })

      it('assigns id and created_at, and ignores them and unknown fields in the body', async () => {
        const given = { id: 1, created_at: '2001-01-01T00:00:00.000Z', version: 7, owner: { name: 'x' } }
        const earlier = await create()
        const created = snippetOf(await client().post(path, { ...bodyOf({ language: marker() }), ...given }))
        expect(BigInt(created.id) > BigInt(earlier.id)).to.equal(true)
        expect(created.created_at).not.to.equal(given.created_at)
        expect(Object.keys(created)).to.deep.equal(['id', ...contentFieldNames, 'created_at'])
      })
    })

    describe(`PUT ${path}{id}/`, () => {
      it('replaces the content, keeps id and created_at, and changes the ETag', async () => {
        const before = await create()
        const old = header(await client().get(`${path}${before.id}/`), 'ETag')
        const given = bodyOf({ title: 'new', code: 'newer', language: marker() })
        const ignored = { id: 1, created_at: 'yesterday', extra: [] }
        const put = await client().put(`${path}${before.id}/`, { ...given, ...ignored })
        expect(put.status).to.equal(200)
        expect(snippetOf(put)).to.deep.equal({ ...before, ...given })
        for (const { path: other } of families) {
          const read = await client().get(`${other}${before.id}/`)
          expect(read.text).to.equal(put.text)
          expect(header(read, 'ETag')).to.equal(header(put, 'ETag')).and.not.to.equal(old)
        }
      })
    })

    describe(`DELETE ${path}{id}/`, () => {
      it('returns 204 without a body, and 404 for the next GET, PUT, PATCH or DELETE', async () => {
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
    })
  }

  describe(`PATCH ${generated}{id}/`, () => {
    it('changes only the fields in the body, and both families show it', async () => {
      for (const named of [...contentFieldNames.map(field => ({ [field]: marker() })), { title: 'x', code: 'y' }]) {
        const before = await create()
        const old = header(await client().get(`${generated}${before.id}/`), 'ETag')
        const patched = await client().patch(`${generated}${before.id}/`, { ...named, id: 5, other: null })
        expect(patched.status).to.equal(200)
        expect(snippetOf(patched)).to.deep.equal({ ...before, ...named })
        const read = await client().get(`${explicit}${before.id}/`)
        expect(read.text).to.equal(patched.text)
        expect(header(read, 'ETag')).to.equal(header(patched, 'ETag')).and.not.to.equal(old)
      }
    })
  })

  describe(`GET ${explicit}`, () => {
    it('lists every snippet once, by id, as GET of the snippet shows it', async function () {
      if (pageOf(await client().get(generated)).count > maxRead) this.skip()
      const language = marker()
      const created = [await create({ language }), await create({ language })]
      const response = await client().get(`${explicit}?`)
      expect(response.status).to.equal(200)
      expect(header(response, 'Content-Type')).to.equal('application/json')
      expect(response.text).to.match(/^\{"snippets":\[.*\]\}$/s)
      expect(response.text).to.include((await client().get(`${explicit}${created[1]?.id}/`)).text)
      const snippets = snippetsOf(response)
      expect(snippets.filter(snippet => snippet.language === language)).to.deep.equal(created)
      const ids = snippets.map(({ id }) => BigInt(id))
      expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] ?? id))).to.equal(true)
    })
  })

  it(`GET ${explicit}{id}/raw/ returns the bytes of the code as sandboxed plain text`, async () => {
    const code = '\ufeff#!/bin/sh\r\né😀\u0000<script>alert(1)</script>'
    const { id } = await create({ code })
    const response = await client().get(`${explicit}${id}/raw/`)
    expect(response.body.equals(Buffer.from(code))).to.equal(true)
    expect(response.headers).to.include({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      etag: header(await client().get(`${explicit}${id}/`), 'ETag'),
    })
  })
}
