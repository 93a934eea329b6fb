import { expect } from 'chai'
import { header, problemOf } from '../../support/http/representations.js'
import { explicit, type Workspace } from './workspace.js'

/** GET of the code alone, which is text whatever it holds. */
export const rawCode = ({ client, create, deletedSnippet }: Workspace): void => {
  describe(`GET ${explicit}{id}/raw/`, () => {
    const created = async (code = 'some code') => {
      const { id } = await create({ code })
      return { target: `${explicit}${id}/`, raw: `${explicit}${id}/raw/` }
    }

    for (const code of [
      'let x = 1\n',
      '#!/bin/sh\r\nexit 0',
      '<script>alert(1)</script>',
      '\ufeffé😀\u0000',
      '{"id":1}',
    ])
      it(`answers with the bytes of ${JSON.stringify(code)}`, async () => {
        const { raw } = await created(code)
        const answer = await client().get(raw)
        expect(answer.status).to.equal(200)
        expect(answer.body.equals(Buffer.from(code))).to.equal(true)
        expect(header(answer, 'Content-Type')).to.equal('text/plain; charset=utf-8')
      })

    it('keeps a browser from running the code', async () => {
      const answer = await client().get((await created()).raw)
      expect(header(answer, 'X-Content-Type-Options')).to.equal('nosniff')
      expect(header(answer, 'Content-Security-Policy')).to.equal("sandbox; default-src 'none'")
    })

    it('has the ETag of the snippet, also after a change', async () => {
      const { target, raw } = await created()
      const before = header(await client().get(raw), 'ETag')
      expect(before).to.equal(header(await client().get(target), 'ETag'))
      const replaced = await client().put(target, { title: 't', code: 'other', language: 'l' })
      const after = await client().get(raw)
      expect(header(after, 'ETag')).to.equal(header(replaced, 'ETag')).and.not.to.equal(before)
      expect(after.text).to.equal('other')
    })

    it('answers 304 to a current If-None-Match, for GET and HEAD', async () => {
      const { raw } = await created()
      const etag = header(await client().get(raw), 'ETag')
      for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, '*'])
        for (const ask of [client().get, client().head]) {
          const answer = await ask(raw, { 'If-None-Match': tags })
          expect([answer.status, answer.text, answer.headers.etag]).to.deep.equal([304, '', etag])
        }
      expect((await client().get(raw, { 'If-None-Match': '"x"' })).status).to.equal(200)
    })

    it('answers 412 to an If-Match that is not current', async () => {
      const { raw } = await created()
      const answer = await client().get(raw, { 'If-Match': '"x"' })
      expect(problemOf(answer).type).to.equal('urn:snippets:precondition-failed')
    })

    it('answers 404 to a missing snippet and to a malformed id', async () => {
      const missing = await deletedSnippet(explicit)
      const { detail } = problemOf(await client().get(`${missing}raw/`))
      expect(detail).to.equal(`There is no snippet ${missing.split('/').at(-2)}.`)
      for (const id of ['0', '01', 'abc', 'config', '%zz'])
        expect((await client().get(`${explicit}${id}/raw/`)).status).to.equal(404)
    })
  })
}
