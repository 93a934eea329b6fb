import { expect } from 'chai'
import { header, snippetOf } from '../../support/http/representations.js'
import { explicit, families, generated, type Workspace } from './workspace.js'

/** ETag, If-None-Match and If-Match (RFC 9110, section 13). */
export const preconditions = ({ client, create, marker, deletedSnippet }: Workspace): void => {
  const tagged = async (path: string) => {
    const snippet = await create()
    const detail = `${path}${snippet.id}/`
    return { snippet, detail, etag: header(await client().get(detail), 'ETag') }
  }
  const body = () => ({ title: 'changed', code: 'changed', language: marker() })

  for (const { path } of families) {
    describe(`If-None-Match on ${path}{id}/`, () => {
      for (const [what, value] of [
        ['the ETag', (etag: string) => etag],
        ['the ETag in a list', (etag: string) => `"other", ${etag} , W/"third"`],
        ['the weak form of the ETag', (etag: string) => `W/${etag}`],
        ['*', () => '*'],
      ] as const)
        it(`makes GET and HEAD answer 304 with the ETag and no body for ${what}`, async () => {
          const { detail, etag } = await tagged(path)
          for (const method of ['get', 'head'] as const) {
            const answer = await client()[method](detail, { 'If-None-Match': value(etag) })
            expect(answer.status).to.equal(304)
            expect(answer.text).to.equal('')
            expect(header(answer, 'ETag')).to.equal(etag)
            expect(header(answer, 'Cache-Control')).to.equal('no-cache')
          }
        })

      for (const [what, value] of [
        ['another tag', () => '"other"'],
        ['the ETag without its quotes', (etag: string) => etag.slice(1, -1)],
        ['a malformed tag', () => '"'],
        ['an empty value', () => ''],
      ] as const)
        it(`makes GET answer 200 for ${what}`, async () => {
          const { detail, etag } = await tagged(path)
          expect((await client().get(detail, { 'If-None-Match': value(etag) })).status).to.equal(200)
        })

      it('makes GET answer 200 for an ETag from before a write', async () => {
        const { detail, etag } = await tagged(path)
        await client().put(detail, body())
        const answer = await client().get(detail, { 'If-None-Match': etag })
        expect(answer.status).to.equal(200)
        expect(snippetOf(answer).title).to.equal('changed')
      })

      for (const [what, value] of [
        ['the ETag', (etag: string) => etag],
        ['the weak form of the ETag', (etag: string) => `W/${etag}`],
        ['the ETag in a list', (etag: string) => `"other", ${etag}`],
      ] as const)
        it(`makes PUT and DELETE answer 412 for ${what}`, async () => {
          const { snippet, detail, etag } = await tagged(path)
          const headers = { 'If-None-Match': value(etag) }
          expect((await client().put(detail, body(), headers)).status).to.equal(412)
          expect((await client().put(detail, body(), { ...headers, 'If-Match': etag })).status).to.equal(412)
          expect((await client().delete(detail, headers)).status).to.equal(412)
          expect(snippetOf(await client().get(detail))).to.deep.equal(snippet)
        })

      it('lets PUT and DELETE succeed for another tag', async () => {
        const { detail, etag } = await tagged(path)
        const put = await client().put(detail, body(), { 'If-None-Match': '"other"', 'If-Match': etag })
        expect(put.status).to.equal(200)
        expect((await client().put(detail, body(), { 'If-None-Match': etag })).status).to.equal(200)
        expect((await client().delete(detail, { 'If-None-Match': etag })).status).to.equal(204)
      })

      it('does not override an If-Match that fails', async () => {
        const { snippet, detail } = await tagged(path)
        // both are tags that this service could have made
        const headers = { 'If-None-Match': '"0-1"', 'If-Match': '"0-2"' }
        expect((await client().put(detail, body(), headers)).status).to.equal(412)
        expect((await client().delete(detail, headers)).status).to.equal(412)
        expect(snippetOf(await client().get(detail))).to.deep.equal(snippet)
      })

      it('makes PUT and DELETE answer 412 for *', async () => {
        const { snippet, detail } = await tagged(path)
        expect((await client().put(detail, body(), { 'If-None-Match': '*' })).status).to.equal(412)
        expect((await client().delete(detail, { 'If-None-Match': '*' })).status).to.equal(412)
        expect(snippetOf(await client().get(detail))).to.deep.equal(snippet)
      })
    })

    describe(`If-Match on a read of ${path}{id}/`, () => {
      for (const [what, value, status] of [
        ['the ETag', (etag: string) => etag, 200],
        ['the ETag in a list', (etag: string) => `"other", ${etag}`, 200],
        ['*', () => '*', 200],
        ['another tag', () => '"other"', 412],
        ['the weak form of the ETag', (etag: string) => `W/${etag}`, 412],
        ['a malformed tag', () => '"', 400],
      ] as const)
        it(`makes GET and HEAD answer ${status} for ${what}`, async () => {
          const { detail, etag } = await tagged(path)
          for (const method of ['get', 'head'] as const)
            expect((await client()[method](detail, { 'If-Match': value(etag) })).status).to.equal(status)
        })

      it('takes precedence over If-None-Match', async () => {
        const { detail, etag } = await tagged(path)
        const get = (match: string) => client().get(detail, { 'If-Match': match, 'If-None-Match': etag })
        expect((await get('"other"')).status).to.equal(412)
        expect((await get(etag)).status).to.equal(304)
      })
    })

    const writes = [
      { verb: 'PUT', write: (detail: string, tag: string) => client().put(detail, body(), { 'If-Match': tag }) },
      { verb: 'DELETE', write: (detail: string, tag: string) => client().delete(detail, { 'If-Match': tag }) },
      ...(path === generated
        ? [{ verb: 'PATCH', write: (detail: string, tag: string) => client().patch(detail, {}, { 'If-Match': tag }) }]
        : []),
    ]

    for (const { verb, write } of writes) {
      describe(`${verb} ${path}{id}/ with If-Match`, () => {
        for (const [what, value] of [
          ['the ETag', (etag: string) => etag],
          ['the ETag in a list', (etag: string) => `"other",${etag}, "third"`],
          ['*', () => '*'],
        ] as const)
          it(`succeeds for ${what}`, async () => {
            const { detail, etag } = await tagged(path)
            expect((await write(detail, value(etag))).status).to.equal(verb === 'DELETE' ? 204 : 200)
            const read = await client().get(detail)
            if (verb === 'DELETE') expect(read.status).to.equal(404)
            else expect(header(read, 'ETag')).not.to.equal(etag)
          })

        for (const [what, value] of [
          ['another tag', () => '"other"'],
          ['the weak form of the ETag', (etag: string) => `W/${etag}`],
          ['the ETag with another digit', (etag: string) => `"0${etag.slice(1)}`],
          ['an empty value', () => ''],
          ['a list of other tags', () => '"a", "b", W/"c"'],
        ] as const)
          it(`answers 412 and writes nothing for ${what}`, async () => {
            const { snippet, detail, etag } = await tagged(path)
            expect((await write(detail, value(etag))).status).to.equal(412)
            const read = await client().get(detail)
            expect(snippetOf(read)).to.deep.equal(snippet)
            expect(header(read, 'ETag')).to.equal(etag)
          })

        for (const [what, value] of [
          ['the ETag without its quotes', (etag: string) => etag.slice(1, -1)],
          ['a malformed tag', () => '"'],
          ['* in a list', (etag: string) => `${etag}, *`],
        ] as const)
          it(`answers 400 and writes nothing for ${what}`, async () => {
            const { snippet, detail, etag } = await tagged(path)
            expect((await write(detail, value(etag))).status).to.equal(400)
            expect(snippetOf(await client().get(detail))).to.deep.equal(snippet)
          })

        it('answers 412 for an ETag from before another write', async () => {
          const { detail, etag } = await tagged(path)
          const put = await client().put(detail, body())
          expect((await write(detail, etag)).status).to.equal(412)
          const read = await client().get(detail)
          expect(read.text).to.equal(put.text)
          expect((await write(detail, header(read, 'ETag'))).status).to.be.oneOf([200, 204])
        })

        it('answers 404, not 412, for a deleted snippet', async () => {
          const deleted = await deletedSnippet(path)
          expect((await write(deleted, '*')).status).to.equal(404)
          expect((await write(deleted, '"other"')).status).to.equal(404)
        })
      })
    }
  }

  describe('Concurrent writes with the same ETag', () => {
    it('let exactly one PUT succeed', async () => {
      const { detail, etag } = await tagged(explicit)
      const put = (title: string) => client().put(detail, { ...body(), title }, { 'If-Match': etag })
      const answers = await Promise.all(Array.from({ length: 16 }, (_, i) => put(`writer ${i}`)))
      const winners = answers.filter(({ status }) => status === 200)
      expect(winners).to.have.length(1)
      expect(answers.filter(({ status }) => status === 412)).to.have.length(15)
      expect((await client().get(detail)).text).to.equal(winners[0]?.text)
    })

    it('let exactly one DELETE or PATCH succeed', async () => {
      const { detail, etag } = await tagged(generated)
      const answers = await Promise.all(
        Array.from({ length: 16 }, (_, i) =>
          i % 2 === 0
            ? client().delete(detail, { 'If-Match': etag })
            : client().patch(detail, { title: `writer ${i}` }, { 'If-Match': etag }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200 || status === 204)).to.have.length(1)
      for (const { status } of answers) expect(status).to.be.oneOf([200, 204, 404, 412])
    })
  })
}
