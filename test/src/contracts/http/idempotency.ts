import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { header, problemOf, snippetOf } from '../../support/http/representations.js'
import { explicit, families, generated, type Workspace } from './workspace.js'

/** POST with an Idempotency-Key, which can be repeated. */
export const idempotency = ({ client, marker }: Workspace): void => {
  const found = async (language: string): Promise<number> =>
    JSON.parse((await client().get(`${generated}?language=${encodeURIComponent(language)}`)).text).count
  const setUp = () => {
    const body = { title: 't', code: 'c', language: marker() }
    return { body, key: { 'Idempotency-Key': `key-${randomUUID()}` }, count: () => found(body.language) }
  }

  for (const { path } of families) {
    describe(`POST ${path} with an Idempotency-Key`, () => {
      it('creates once, and gives the first answer to every repetition', async () => {
        const { body, key, count } = setUp()
        const first = await client().post(path, body, key)
        expect(first.status).to.equal(201)
        expect(first.headers['idempotency-replayed']).to.equal(undefined)
        for (let i = 0; i < 3; i++) {
          const again = await client().post(path, body, key)
          expect(again.status).to.equal(201)
          expect(again.text).to.equal(first.text)
          for (const name of ['Location', 'ETag', 'Content-Type'])
            expect(header(again, name)).to.equal(header(first, name))
          expect(header(again, 'Idempotency-Replayed')).to.equal('true')
        }
        expect(await count()).to.equal(1)
      })

      it('gives the first answer after a change and after a delete', async () => {
        const { body, key, count } = setUp()
        const first = await client().post(path, body, key)
        const target = `${path}${snippetOf(first).id}/`
        const seen = ({ status, text, headers }: typeof first) => [status, text, headers.location, headers.etag]
        await client().put(target, { ...body, title: 'changed' })
        expect(seen(await client().post(path, body, key))).to.deep.equal(seen(first))
        expect(snippetOf(await client().get(target)).title).to.equal('changed')
        await client().delete(target)
        expect(seen(await client().post(path, body, key))).to.deep.equal(seen(first))
        expect((await client().get(target)).status).to.equal(404)
        expect(await count()).to.equal(0)
      })

      it('compares what the body says, not how it is written', async () => {
        const { body, key, count } = setUp()
        const { id } = snippetOf(await client().post(path, body, key))
        const { title, code, language } = body
        for (const same of [{ language, code, title }, { ...body, id: 7, x: [] }, JSON.stringify(body, null, 2)])
          expect(snippetOf(await client().post(path, same, key)).id).to.equal(id)
        expect(await count()).to.equal(1)
      })

      for (const field of ['title', 'code', 'language'])
        it(`answers 422 when the ${field} is another, and creates nothing`, async () => {
          const { body, key, count } = setUp()
          const first = await client().post(path, body, key)
          const answer = await client().post(path, { ...body, [field]: `${marker()} other` }, key)
          expect(answer.status).to.equal(422)
          expect(problemOf(answer).type).to.equal('urn:snippets:idempotency-key-reused')
          expect((await client().post(path, body, key)).text).to.equal(first.text)
          expect(await count()).to.equal(1)
        })

      it('creates once when requests with the same key come at the same time, and answers the others alike or 409', async () => {
        const { body, key, count } = setUp()
        const answers = await Promise.all(Array.from({ length: 10 }, () => client().post(path, body, key)))
        const inUse = answers.filter(({ status }) => status === 409)
        for (const answer of inUse) {
          expect(problemOf(answer).type).to.equal('urn:snippets:idempotency-key-in-use')
          expect(header(answer, 'Retry-After')).to.match(/^[1-9][0-9]?$/)
        }
        const others = answers.filter(({ status }) => status !== 409)
        expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 201))
        expect(others.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).to.have.length(1)
        const again = await client().post(path, body, key)
        expect(new Set([...others, again].map(({ text }) => text)).size).to.equal(1)
        expect(await count()).to.equal(1)
      })

      it('does not use the key up when the body is refused', async () => {
        const { body, key } = setUp()
        expect((await client().post(path, { ...body, title: '' }, key)).status).to.equal(400)
        const { status, headers } = await client().post(path, body, key)
        expect([status, headers['idempotency-replayed']]).to.deep.equal([201, undefined])
      })

      for (const key of ['k', `"${'x'.repeat(253)}"`, '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 'a,b', '__proto__'])
        it(`takes the key ${key.slice(0, 40)}`, async () => {
          const { body } = setUp()
          const own = { 'Idempotency-Key': (randomUUID() + key).slice(0, 255) }
          const { id } = snippetOf(await client().post(path, body, own))
          expect(snippetOf(await client().post(path, body, own)).id).to.equal(id)
        })

      for (const key of ['', 'a b', 'a, b', 'é', 'a\tb', 'x'.repeat(256), 'x'.repeat(5000)])
        it(`refuses the key ${JSON.stringify(key.slice(0, 20))} of ${key.length} characters, and creates nothing`, async () => {
          const { body, count } = setUp()
          const answer = await client().post(path, body, { 'Idempotency-Key': key })
          expect(answer.status).to.equal(400)
          expect(problemOf(answer).detail).to.contain('1 to 255 visible ASCII characters')
          expect(answer.text).not.to.contain('xxxxx')
          expect(await count()).to.equal(0)
        })
    })
  }

  describe('An Idempotency-Key', () => {
    it('is the same key in both families', async () => {
      const { body, key, count } = setUp()
      const first = await client().post(explicit, body, key)
      const again = await client().post(generated, body, key)
      expect([again.text, header(again, 'ETag')]).to.deep.equal([first.text, header(first, 'ETag')])
      expect(header(again, 'Idempotency-Replayed')).to.equal('true')
      expect(await count()).to.equal(1)
    })

    it('is case-sensitive', async () => {
      const { body, key, count } = setUp()
      await client().post(explicit, body, key)
      await client().post(explicit, body, { 'Idempotency-Key': key['Idempotency-Key'].toUpperCase() })
      expect(await count()).to.equal(2)
    })

    it('is ignored by other methods', async () => {
      const { body, key } = setUp()
      const { id } = snippetOf(await client().post(explicit, body))
      const odd = { 'Idempotency-Key': 'a b' }
      expect((await client().put(`${explicit}${id}/`, body, odd)).status).to.equal(200)
      expect((await client().get(`${explicit}${id}/`, odd)).status).to.equal(200)
      expect((await client().delete(`${explicit}${id}/`, key)).status).to.equal(204)
    })
  })
}
