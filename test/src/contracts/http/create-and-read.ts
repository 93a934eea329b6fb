import { expect } from 'chai'
import { header, snippetOf } from '../../support/http/representations.js'
import { families, type Workspace } from './workspace.js'

const texts = {
  'leading and trailing spaces': '  a  ',
  'a single space': ' ',
  'line breaks and tabs': 'a\r\nb\nc\td\r',
  'control characters and NUL': 'a\u0000b\u0001c\u007f',
  'quotes and backslashes': `"'\\ \\u0041 \\n /`,
  'a decomposed letter': 'e\u0301',
  'an emoji of several code points': '👩‍👩‍👧',
  'code points above U+FFFF': '𝔘𐍈😀',
  'the neighbours of the surrogates': '\ud7ff\ue000\uffff',
  'a byte order mark': '\ufeffa',
  'line separators': 'a\u2028b\u2029c',
  'right-to-left text': 'שלום עליכם',
  HTML: '</script><b>&amp;',
  'text that looks like another JSON field': '","id":1,"title":"x',
  'text that looks like a MongoDB operator': '{"$ne": null}',
}

/** POST, and GET of what it created, in each family and across both. */
export const createAndRead = ({ client, marker, create }: Workspace): void => {
  for (const { path } of families) {
    describe(`POST ${path}`, () => {
      it('answers 201 with the snippet, its Location and its ETag', async () => {
        const language = marker()
        const answer = await client().post(path, { title: 'A title', code: 'let x = 1\n', language })
        expect(answer.status).to.equal(201)
        expect(header(answer, 'Content-Type')).to.equal('application/json')
        const snippet = snippetOf(answer)
        expect(snippet).to.include({ title: 'A title', code: 'let x = 1\n', language })
        expect(new URL(header(answer, 'Location'), 'http://any').pathname).to.equal(`${path}${snippet.id}/`)
        expect(header(answer, 'ETag')).to.match(/^"[^"]+"$/)
      })

      it('shows the fields in the documented order, and created_at in UTC with milliseconds', async () => {
        const { text } = await client().post(path, { language: marker(), code: 'c', title: 't' })
        expect(text).to.match(
          /^\{"id":[1-9][0-9]*,"title":"t","code":"c","language":"[^"]*","created_at":"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"\}$/,
        )
      })

      it('creates a snippet that both families show with the same bytes and ETag', async () => {
        const created = await client().post(path, { title: 't', code: 'c', language: marker() })
        const { id } = snippetOf(created)
        for (const { path: other } of families) {
          const read = await client().get(`${other}${id}/`)
          expect(read.status).to.equal(200)
          expect(read.text).to.equal(created.text)
          expect(header(read, 'ETag')).to.equal(header(created, 'ETag'))
        }
      })

      it('assigns id and created_at, whatever the body says', async () => {
        const given = { id: 1, created_at: '2001-01-01T00:00:00.000Z', version: 7, owner: { name: 'x' } }
        const { id } = snippetOf(await client().post(path, { title: 't', code: 'c', language: marker() }))
        const created = await client().post(path, { title: 't', code: 'c', language: marker(), ...given })
        expect(created.status).to.equal(201)
        expect(BigInt(snippetOf(created).id) > BigInt(id)).to.equal(true)
        expect(snippetOf(created).created_at).not.to.equal(given.created_at)
        expect(Object.keys(snippetOf(created))).to.deep.equal(['id', 'title', 'code', 'language', 'created_at'])
      })

      for (const [what, text] of Object.entries(texts))
        it(`stores texts unchanged: ${what}`, async () => {
          const language = marker()
          const { id } = snippetOf(await client().post(path, { title: text, code: text, language }))
          const read = snippetOf(await client().get(`${path}${id}/`))
          expect(read).to.include({ id, title: text, code: text, language })
        })

      it('never reuses an id', async () => {
        const first = await create()
        await client().delete(`${path}${first.id}/`)
        const second = await create()
        expect(BigInt(second.id) > BigInt(first.id)).to.equal(true)
      })
    })
  }
}
