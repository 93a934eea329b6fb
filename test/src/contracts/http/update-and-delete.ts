import { expect } from 'chai'
import { header, problemOf, snippetOf } from '../../support/http/representations.js'
import { explicit, families, generated, type Workspace } from './workspace.js'

/** PUT, PATCH as a merge patch (RFC 7396), and DELETE. */
export const updateAndDelete = ({ client, create, marker, deletedSnippet }: Workspace): void => {
  for (const { family, path } of families) {
    describe(`PUT ${path}{id}/`, () => {
      it('replaces title, code and language, keeps id and created_at, and changes the ETag', async () => {
        const before = await create()
        const old = header(await client().get(`${path}${before.id}/`), 'ETag')
        const language = marker()
        const put = await client().put(`${path}${before.id}/`, { title: 'new', code: 'newer', language })
        expect(put.status).to.equal(200)
        expect(snippetOf(put)).to.deep.equal({ ...before, title: 'new', code: 'newer', language })
        expect(header(put, 'ETag'))
          .to.match(/^"[^"]+"$/)
          .and.not.to.equal(old)
        for (const { path: other } of families) {
          const read = await client().get(`${other}${before.id}/`)
          expect(read.text).to.equal(put.text)
          expect(header(read, 'ETag')).to.equal(header(put, 'ETag'))
        }
      })

      it('accepts the representation from GET, and answers it with a new ETag', async () => {
        const { id } = await create()
        const read = await client().get(`${path}${id}/`)
        const put = await client().put(`${path}${id}/`, read.text)
        expect(put.status).to.equal(200)
        expect(put.text).to.equal(read.text)
        expect(header(put, 'ETag')).not.to.equal(header(read, 'ETag'))
      })

      it('ignores id, created_at and unknown fields', async () => {
        const before = await create()
        const body = { ...before, id: 1, created_at: 'yesterday', code: 'changed', extra: [] }
        const put = await client().put(`${path}${before.id}/`, body)
        expect(put.status).to.equal(200)
        expect(snippetOf(put)).to.deep.equal({ ...before, code: 'changed' })
      })
    })

    describe(`DELETE ${path}{id}/`, () => {
      it('answers 204 without a body, then 404', async () => {
        const { id, language } = await create()
        const first = await client().delete(`${path}${id}/`)
        expect(first.status).to.equal(204)
        expect(first.text).to.equal('')
        expect((await client().delete(`${path}${id}/`)).status).to.equal(404)
        for (const { path: other } of families) expect((await client().get(`${other}${id}/`)).status).to.equal(404)
        const list = await client().get(`${generated}?language=${encodeURIComponent(language)}`)
        expect(JSON.parse(list.text).count).to.equal(0)
      })
    })

    describe(`The ${family} path of a deleted snippet`, () => {
      it('answers every method with 404', async () => {
        const deleted = await deletedSnippet(path)
        const body = { title: 't', code: 'c', language: marker() }
        const answers = [await client().get(deleted), await client().put(deleted, body), await client().delete(deleted)]
        if (path === generated) answers.push(await client().patch(deleted, body))
        for (const answer of answers) {
          expect(answer.status).to.equal(404)
          expect(problemOf(answer).type).to.match(/^urn:snippets:/)
        }
        expect((await client().get(deleted)).status, 'a PUT creates nothing').to.equal(404)
      })
    })
  }

  describe(`PATCH ${generated}{id}/`, () => {
    for (const field of ['title', 'code', 'language'] as const)
      it(`changes only ${field}`, async () => {
        const before = await create()
        const value = marker()
        const patched = await client().patch(`${generated}${before.id}/`, { [field]: value })
        expect(patched.status).to.equal(200)
        expect(snippetOf(patched)).to.deep.equal({ ...before, [field]: value })
        const read = await client().get(`${explicit}${before.id}/`)
        expect(read.text).to.equal(patched.text)
        expect(header(read, 'ETag')).to.equal(header(patched, 'ETag'))
      })

    it('changes two fields and keeps the third', async () => {
      const before = await create()
      const patched = await client().patch(`${generated}${before.id}/`, { title: 'x', code: 'y' })
      expect(snippetOf(patched)).to.deep.equal({ ...before, title: 'x', code: 'y' })
    })

    it('accepts an empty object', async () => {
      const before = await create()
      const patched = await client().patch(`${generated}${before.id}/`, {})
      expect(patched.status).to.equal(200)
      expect(snippetOf(patched)).to.deep.equal(before)
    })

    it('accepts application/merge-patch+json', async () => {
      const before = await create()
      const type = { 'Content-Type': 'application/merge-patch+json' }
      const patched = await client().patch(`${generated}${before.id}/`, { code: 'merged', id: 5, other: null }, type)
      expect(patched.status).to.equal(200)
      expect(snippetOf(patched)).to.deep.equal({ ...before, code: 'merged' })
    })
  })

  describe(`PATCH ${explicit}{id}/`, () => {
    it('answers 405', async () => {
      const before = await create()
      const refused = await client().patch(`${explicit}${before.id}/`, { title: 'x' })
      expect(refused.status).to.equal(405)
      expect(snippetOf(await client().get(`${explicit}${before.id}/`))).to.deep.equal(before)
    })
  })
}
